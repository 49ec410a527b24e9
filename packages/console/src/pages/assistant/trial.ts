import { useEffect, useReducer, useRef } from 'react'
import { ApiError, readEvents, sendRequest } from '../../api/client.ts'
import type { AssistantSettings, AssistantTryEvent } from '../../api/gateway-api.ts'

/** A test message and its reply. */
export interface Trial {
  readonly question: string
  readonly text: string
  readonly files: readonly { readonly name: string; readonly bytes: number }[]
  readonly end: TrialEnd | null
}

/** How a trial ended. */
export type TrialEnd =
  | { readonly is: 'complete'; readonly firstMs: number; readonly wholeMs: number }
  | { readonly is: 'stopped' }
  /** The assistant failed: its code, and the service's message. */
  | { readonly is: 'failed'; readonly reason: string; readonly words: string }
  /** The service rejected the request. */
  | { readonly is: 'refused'; readonly error: unknown }

/** Events of a trial. */
export type TrialStep =
  | { readonly type: 'asked'; readonly question: string }
  | AssistantTryEvent
  | { readonly type: 'ended' }
  | { readonly type: 'stopped' }
  | { readonly type: 'refused'; readonly error: unknown }

/** Returns the trial after an event. Events after the end are ignored. */
export function advanceTrial(trial: Trial | null, step: TrialStep): Trial | null {
  if (step.type === 'asked') return { question: step.question, text: '', files: [], end: null }
  if (trial === null || trial.end !== null) return trial
  switch (step.type) {
    case 'text':
      return { ...trial, text: trial.text + step.text }
    case 'file':
      return { ...trial, files: [...trial.files, { name: step.name, bytes: step.bytes }] }
    case 'done':
      return { ...trial, end: { is: 'complete', firstMs: step.first_piece_ms, wholeMs: step.took_ms } }
    case 'failed':
      return { ...trial, end: { is: 'failed', reason: step.reason, words: step.error } }
    case 'stopped':
      return { ...trial, end: { is: 'stopped' } }
    case 'refused':
      return { ...trial, end: { is: 'refused', error: step.error } }
    case 'ended':
      return { ...trial, end: { is: 'refused', error: new ApiError('no_answer', 'The connection was lost.') } }
    default:
      return trial // from a newer service
  }
}

/** Reports whether the settings are empty. */
const isEmptySettings = (settings: AssistantSettings): boolean => Object.keys(settings).length === 0

/** Sends test messages and collects the streamed reply. */
export interface Trials {
  readonly trial: Trial | null
  /** @param settings Those that differ from the saved ones. */
  ask(message: string, settings: AssistantSettings): void
  stop(): void
}

/** Runs one trial at a time, until the page is left. */
export function useTrial(): Trials {
  const [trial, step] = useReducer(advanceTrial, null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const ask = (message: string, settings: AssistantSettings): void => {
    running.current?.abort()
    const control = new AbortController()
    running.current = control
    const tell = (next: TrialStep): void => {
      if (running.current === control) step(next)
    }
    tell({ type: 'asked', question: message })
    const body = { message, ...(!isEmptySettings(settings) && { settings }) }
    const read = async (): Promise<void> => {
      const answer = await sendRequest('streamAssistant', { body }, { signal: control.signal })
      for await (const event of readEvents('streamAssistant', answer)) tell(event)
      tell({ type: 'ended' })
    }
    void read().catch((error: unknown) => {
      if (!control.signal.aborted) tell({ type: 'refused', error })
    })
  }
  const stop = (): void => {
    running.current?.abort()
    step({ type: 'stopped' })
  }
  return { trial, ask, stop }
}
