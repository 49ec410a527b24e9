import { useEffect, useRef, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { type Before, type Result, sendToAll } from './broadcast.ts'
import { deliver, deliverAgain, deliveriesBefore } from './deliver.ts'
import type { Person } from './people.ts'
import { refresh } from '../../../api/queries.ts'

/** A message on its way to several people. */
export interface Run {
  readonly message: string
  readonly people: readonly Person[]
  readonly results: ReadonlyMap<string, Result>
  readonly before: Before
}

/** Sending to several, and what became of it. Ends when the page goes. */
export interface Broadcast {
  /** `null`: nothing was sent yet. */
  readonly run: Run | null
  readonly isRunning: boolean
  readonly isStopping: boolean
  /** Why nothing was begun. */
  readonly error: unknown
  /** Does nothing while something is under way. */
  begin(people: readonly Person[], message: string): void
  /** Sends to those whom it was not sent to. */
  goOn(): void
  /** Tries again with those who failed. */
  again(): void
  stop(): void
  forget(): void
}

type Phase = 'idle' | 'running' | 'stopping'

interface Plan {
  make(): Promise<Run>
  which(result: Result): boolean
  readonly isAgain: boolean
}

/** The state of a message to several people. @param onWhole Called when it was sent, or will be, to everybody. */
export function useBroadcast(onWhole: () => void): Broadcast {
  const client = useQueryClient()
  const [run, setRun] = useState<Run | null>(null)
  const [phase, setPhase] = useState<Phase>('idle')
  const [error, setError] = useState<unknown>(null)
  const ending = useRef<AbortController>(null)
  useEffect(() => () => ending.current?.abort(), [])
  const work = async (plan: Plan): Promise<void> => {
    if (ending.current !== null) return
    ending.current = new AbortController()
    setPhase('running')
    setError(null)
    try {
      const results = await carryOut(plan, setRun, ending.current.signal)
      if (results.every(({ state }) => state !== 'waiting' && state !== 'failed')) onWhole()
    } catch (cause) {
      setError(cause)
    }
    ending.current = null
    setPhase('idle')
    await refresh(client, 'listAllDeliveries', 'listConversations', 'getConversation', 'listUsers')
  }
  const goOnWith = (made: Run | null, which: Plan['which'], isAgain: boolean): void => {
    if (made !== null) void work({ make: async () => made, which, isAgain })
  }
  return {
    run,
    isRunning: phase !== 'idle',
    isStopping: phase === 'stopping',
    error,
    begin(people, message) {
      const make = async (): Promise<Run> => ({ message, people, results: new Map(), before: await deliveriesBefore() })
      void work({ make, which: () => true, isAgain: false })
    },
    goOn: () => goOnWith(run, ({ state }) => state === 'waiting', false),
    again: () => goOnWith(run, ({ state }) => state === 'failed', true),
    stop() {
      ending.current?.abort()
      setPhase('stopping')
    },
    forget: () => setRun(null),
  }
}

async function carryOut(
  { make, which, isAgain }: Plan,
  setRun: (run: Run) => void,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const run = await make()
  setRun(run)
  const { message, before } = run
  const results = new Map(run.results)
  await sendToAll(
    run.people.filter(({ key }) => which(run.results.get(key) ?? { state: 'waiting' })),
    (person) => (isAgain ? deliverAgain(person, message, before) : deliver(person, message)),
    ({ key }, result) => {
      results.set(key, result)
      setRun({ ...run, results: new Map(results) })
    },
    signal,
  )
  return run.people.map(({ key }) => results.get(key) ?? { state: 'waiting' })
}
