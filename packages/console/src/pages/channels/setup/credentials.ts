import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, ApiError, call } from '../../../api/client.ts'
import { useTexts } from '../../../language/language.ts'
import type { Platform } from '../../../parts/platform.tsx'
import type { FollowedSetup, Setup } from './setup-run.ts'
import { setupTexts } from './texts.ts'

/** A problem with a value's format, found without calling the platform. */
type FormatProblem =
  | 'blanks'
  | 'telegram_token'
  | 'wecom_bot_id'
  | 'wecom_secret_is_id'
  | 'discord_token'
  | 'feishu_app_id'
  | 'feishu_secret'
  | 'swapped'

/** Values by field name. */
export type Values = Readonly<Record<string, string>>

const TELEGRAM_TOKEN = /^\d+:[\w-]{30,}$/
const WECOM_PREFIX = 'aib'
const DISCORD_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const FEISHU_APP_ID = /^cli_[0-9a-f]{16}$/i
const FEISHU_SECRET = /^[\x21-\x7e]{8,200}$/
const DINGTALK_ID = /^ding[a-z0-9]{8,32}$/
/** Shorter values are still being typed. */
const MIN_CHECKED_LENGTH = 6

/** Returns a value without surrounding spaces and text that is often copied with it. */
function tidyValue(platform: Platform, field: string, value: string): string {
  const trimmed = value.trim()
  if (platform !== 'discord' || field !== 'bot_token') return trimmed
  return (/\btoken=(\S+)/.exec(trimmed)?.[1] ?? trimmed).replace(/^Bot\s+/i, '')
}

/** Returns all values, tidied for sending. */
export const tidyValues = (platform: Platform, values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, tidyValue(platform, field, value)]))

/** Returns the problem with a value's format; `null` if there is none or the value is empty. */
export function findFormatProblem(platform: Platform, field: string, values: Values): FormatProblem | null {
  const value = tidyValue(platform, field, values[field] ?? '')
  if (value === '') return null
  if (isSwapped(platform, tidyValues(platform, values))) return 'swapped'
  if (/\s/.test(value)) return 'blanks'
  return FORMAT_CHECKS[`${platform}.${field}`]?.(value) ?? null
}

/** Reports whether a value is too short to judge yet. */
const isBeingTyped = (value: string): boolean => value.trim().length < MIN_CHECKED_LENGTH

const FORMAT_CHECKS: Readonly<Record<string, ((value: string) => FormatProblem | null) | undefined>> = {
  'telegram.bot_token': (value) => (TELEGRAM_TOKEN.test(value) ? null : 'telegram_token'),
  'wecom.bot_id': (value) => (value.startsWith(WECOM_PREFIX) ? null : 'wecom_bot_id'),
  'wecom.secret': (value) => (value.startsWith(WECOM_PREFIX) ? 'wecom_secret_is_id' : null),
  'discord.bot_token': (value) => (DISCORD_TOKEN.test(value) && hasUserId(value) ? null : 'discord_token'),
  'feishu.app_id': (value) => (FEISHU_APP_ID.test(value) ? null : 'feishu_app_id'),
  'feishu.app_secret': (value) => (FEISHU_SECRET.test(value) && !FEISHU_APP_ID.test(value) ? null : 'feishu_secret'),
}

/** Pairs of fields that are easily swapped. */
export const CREDENTIAL_PAIRS: Readonly<Partial<Record<Platform, readonly [id: string, secret: string]>>> = {
  wecom: ['bot_id', 'secret'],
  feishu: ['app_id', 'app_secret'],
  dingtalk: ['client_id', 'client_secret'],
}

const IS_ID: Readonly<Partial<Record<Platform, (value: string) => boolean>>> = {
  wecom: (value) => value.startsWith(WECOM_PREFIX),
  feishu: (value) => FEISHU_APP_ID.test(value),
  dingtalk: (value) => DINGTALK_ID.test(value),
}

/** Reports whether the ID was entered as the secret and vice versa. */
function isSwapped(platform: Platform, values: Values): boolean {
  const pair = CREDENTIAL_PAIRS[platform]
  const isId = IS_ID[platform]
  if (pair === undefined || isId === undefined) return false
  const [id = '', secret = ''] = pair.map((name) => values[name] ?? '')
  return id !== '' && !isId(id) && isId(secret)
}

/** Reports whether a token starts with a bot's user ID. @see Discord, "Authentication" */
function hasUserId(token: string): boolean {
  const first = (token.split('.', 1)[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return /^\d{1,20}$/.test(atob(first))
  } catch {
    return false // not base64: not a token
  }
}

interface CredentialsOptions {
  readonly platform: Platform
  readonly fields: Setup['fields']
  readonly followed: FollowedSetup
  /** Called after the credentials were saved directly, with the time at which saving began. */
  onSaved(atMs: number): void
}

/** The state of the credentials form. */
export interface TypedCredentials {
  readonly typed: Values
  /** Tidied for sending. */
  readonly values: Values
  readonly swapped: boolean
  readonly test: UseMutationResult<Answer<'testChannel'>, ApiError, Values>
  readonly connect: UseMutationResult<unknown, ApiError, Values>
  change(next: Values): void
  /** Sets the fields to save with the credentials. */
  setExtra(next: Values): void
  fieldError(field: string): string | null
  isValid(field: string): boolean
  /** Runs `act` if every format is valid. @returns the index of the first invalid field, or -1 */
  attempt(act: (all: Values) => void): number
}

/** Returns the state of the credentials form, which checks formats while typing, tests credentials, and saves them. */
export function useCredentials({ platform, fields, followed, onSaved }: CredentialsOptions): TypedCredentials {
  const texts = useTexts(setupTexts)
  const [typed, setTyped] = useState<Values>({})
  const [extra, setExtra] = useState<Values>({})
  const [isTried, setTried] = useState(false)
  const test = useTestCredentials(platform)
  const connect = useSaveCredentials(platform, followed, onSaved)
  const values = tidyValues(platform, Object.fromEntries(fields.map(({ name }) => [name, typed[name] ?? ''])))
  const findProblem = (name: string): ReturnType<typeof findFormatProblem> => findFormatProblem(platform, name, values)
  const isValid = (name: string): boolean => values[name] !== '' && findProblem(name) === null
  const reset = (): void => {
    test.reset()
    connect.reset()
  }
  return {
    typed,
    values,
    test,
    connect,
    isValid,
    swapped: fields.some(({ name }) => findProblem(name) === 'swapped'),
    change(next) {
      setTyped((before) => ({ ...before, ...next }))
      reset()
    },
    setExtra(next) {
      setExtra(next)
      reset()
    },
    fieldError(name) {
      if (values[name] === '') return isTried ? texts.missing : null
      const problem = findProblem(name)
      return problem !== null && (isTried || !isBeingTyped(values[name] ?? '')) ? texts.problems[problem] : null
    },
    attempt(act) {
      setTried(true)
      const wrong = fields.findIndex(({ name }) => !isValid(name))
      if (wrong === -1) act({ ...values, ...extra })
      return wrong
    },
  }
}

/** Tests credentials without saving them. */
const useTestCredentials = (platform: Platform): TypedCredentials['test'] =>
  useMutation<Answer<'testChannel'>, ApiError, Values>({
    mutationFn: (values) => call('testChannel', { params: { platform }, body: values }),
  })

/**
 * Tests credentials, then passes them to the setup. With values that the setup didn't request, such as the URL of a
 * self-hosted server, it saves them directly instead.
 */
const useSaveCredentials = (
  platform: Platform,
  { run, answer }: FollowedSetup,
  onSaved: (atMs: number) => void,
): TypedCredentials['connect'] =>
  useMutation<unknown, ApiError, Values>({
    async mutationFn(values) {
      try {
        await call('testChannel', { params: { platform }, body: values })
      } catch (error) {
        // testing a connected bot would disconnect it; saving tests it too
        if (!(error instanceof ApiError && error.code === 'bot_in_use')) throw error
      }
      const asked = run.stage === 'going' ? run.asked : []
      const isMore = Object.keys(values).some((name) => !asked.some((field) => field.name === name))
      if (!isMore) return await answer.mutateAsync(values)
      const startedAtMs = Date.now()
      await call('saveChannel', { params: { platform }, body: values })
      onSaved(startedAtMs)
      return null
    },
  })
