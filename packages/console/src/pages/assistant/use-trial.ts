import { useEffect, useReducer, useRef } from 'react'
import { isNothing, type Trial, trialAfter, type TrialStep } from './trial.ts'
import { send } from '../../api/call.ts'
import type { AssistantSettings } from '../../api/gateway-api.ts'
import { eventsOf } from '../../api/server-sent.ts'

/** Asks the assistant, and shows its answer as it grows. */
export interface Trials {
  readonly trial: Trial | null
  /** @param settings Other than those that count. */
  ask(message: string, settings: AssistantSettings): void
  stop(): void
}

/** One question at a time; it ends with the page. */
export function useTrial(): Trials {
  const [trial, step] = useReducer(trialAfter, null)
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
    const body = { message, ...(!isNothing(settings) && { settings }) }
    const read = async (): Promise<void> => {
      const answer = await send('streamAssistant', { body }, { signal: control.signal })
      for await (const event of eventsOf('streamAssistant', answer)) tell(event)
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
