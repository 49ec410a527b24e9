import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { findFormatProblem, isBeingTyped, tidyValues, type Values } from './credential-form.ts'
import type { FollowedSetup } from './follow-setup.ts'
import type { Setup } from './setup-run.ts'
import { setupTexts } from './texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import { type Answer, call } from '../../../api/call.ts'
import { useTexts } from '../../../language/texts.ts'
import type { Platform } from '../../../parts/platform.tsx'

interface CredentialsOptions {
  readonly platform: Platform
  readonly fields: Setup['fields']
  readonly followed: FollowedSetup
  /** Called with the time of saving when the setup was bypassed. */
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
  errorOf(field: string): string | null
  isRight(field: string): boolean
  /** Runs `act` if every format is valid. @returns the index of the first invalid field, or -1 */
  attempt(act: (all: Values) => void): number
}

/** Checks credentials while they are typed, tests them with the platform and saves them. */
export function useCredentials({ platform, fields, followed, onSaved }: CredentialsOptions): TypedCredentials {
  const texts = useTexts(setupTexts)
  const [typed, setTyped] = useState<Values>({})
  const [extra, setExtra] = useState<Values>({})
  const [isTried, setTried] = useState(false)
  const test = useTestCredentials(platform)
  const connect = useSaveCredentials(platform, followed, onSaved)
  const values = tidyValues(platform, Object.fromEntries(fields.map(({ name }) => [name, typed[name] ?? ''])))
  const problemOf = (name: string): ReturnType<typeof findFormatProblem> => findFormatProblem(platform, name, values)
  const isRight = (name: string): boolean => values[name] !== '' && problemOf(name) === null
  const forget = (): void => {
    test.reset()
    connect.reset()
  }
  return {
    typed,
    values,
    test,
    connect,
    isRight,
    swapped: fields.some(({ name }) => problemOf(name) === 'swapped'),
    change(next) {
      setTyped((before) => ({ ...before, ...next }))
      forget()
    },
    setExtra(next) {
      setExtra(next)
      forget()
    },
    errorOf(name) {
      if (values[name] === '') return isTried ? texts.missing : null
      const problem = problemOf(name)
      return problem !== null && (isTried || !isBeingTyped(values[name] ?? '')) ? texts.problems[problem] : null
    },
    attempt(act) {
      setTried(true)
      const wrong = fields.findIndex(({ name }) => !isRight(name))
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

/** Tests credentials, then passes them to the setup, or saves them directly for a self-hosted server. */
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
      const beganAtMs = Date.now()
      await call('saveChannel', { params: { platform }, body: values })
      onSaved(beganAtMs)
      return null
    },
  })
