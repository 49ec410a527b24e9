import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useState } from 'react'
import { formProblem, isBeingTyped, tidiedAll } from './credential-form.ts'
import type { FollowedSetup } from './follow-setup.ts'
import type { Setup } from './setup-run.ts'
import { setupTexts } from './texts.ts'
import { ApiError } from '../../../api/api-error.ts'
import { type Answer, call } from '../../../api/call.ts'
import { useTexts } from '../../../language/texts.ts'
import type { Platform } from '../../../parts/platform.tsx'

/** Values by the names of their fields. */
export type Values = Readonly<Record<string, string>>

interface CredentialsOptions {
  readonly platform: Platform
  readonly fields: Setup['fields']
  readonly followed: FollowedSetup
  /** Saved without the set-up, at that time. */
  onSaved(atMs: number): void
}

/** Credentials that are being typed. */
export interface TypedCredentials {
  readonly typed: Values
  /** Without what was copied along. */
  readonly values: Values
  readonly swapped: boolean
  readonly test: UseMutationResult<Answer<'testChannel'>, ApiError, Values>
  readonly connect: UseMutationResult<unknown, ApiError, Values>
  change(next: Values): void
  /** What is saved besides. */
  setExtra(next: Values): void
  errorOf(field: string): string | null
  isRight(field: string): boolean
  /** Does it when every form is right. @returns the place of the first field that is not, else -1 */
  attempt(act: (all: Values) => void): number
}

/** Judges credentials while they are typed, asks the platform about them, and saves them. */
export function useCredentials({ platform, fields, followed, onSaved }: CredentialsOptions): TypedCredentials {
  const texts = useTexts(setupTexts)
  const [typed, setTyped] = useState<Values>({})
  const [extra, setExtra] = useState<Values>({})
  const [isTried, setTried] = useState(false)
  const test = useTest(platform)
  const connect = useConnect(platform, followed, onSaved)
  const values = tidiedAll(platform, Object.fromEntries(fields.map(({ name }) => [name, typed[name] ?? ''])))
  const problemOf = (name: string): ReturnType<typeof formProblem> => formProblem(platform, name, values)
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

/** Asks the platform and stores nothing. */
const useTest = (platform: Platform): TypedCredentials['test'] =>
  useMutation<Answer<'testChannel'>, ApiError, Values>({
    mutationFn: (values) => call('testChannel', { params: { platform }, body: values }),
  })

/** Asks the platform, then gives the set-up what it asks for; with an own server it is saved past the set-up. */
const useConnect = (
  platform: Platform,
  { run, answer }: FollowedSetup,
  onSaved: (atMs: number) => void,
): TypedCredentials['connect'] =>
  useMutation<unknown, ApiError, Values>({
    async mutationFn(values) {
      try {
        await call('testChannel', { params: { platform }, body: values })
      } catch (error) {
        // a bot that is connected cannot be tested without ending that: saving it proves it
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
