import { useEffect, useReducer, useRef } from 'react'
import { isEmptySettings, type Trial, advanceTrial, type TrialStep } from './trial.ts'
import { sendRequest } from '../../api/call.ts'
import type { AssistantSettings } from '../../api/gateway-api.ts'
import { readEvents } from '../../api/server-sent.ts'

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
