import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../api/client.ts'
import { refresh } from '../../../api/queries.ts'
import { type DeliverySnapshot, type Result, sendAgain, sendToAll } from './broadcast.ts'
import type { Person } from './people-picker.tsx'

/** A message being sent to several people. */
export interface BroadcastRun {
  readonly message: string
  readonly people: readonly Person[]
  readonly results: ReadonlyMap<string, Result>
  readonly before: DeliverySnapshot
}

/** Sends to several people. Stops when the page is left. */
export interface Broadcast {
  /** `null`: not started. */
  readonly run: BroadcastRun | null
  readonly isRunning: boolean
  readonly isStopping: boolean
  /** Why sending couldn't start. */
  readonly error: unknown
  /** Ignored while sending. */
  begin(people: readonly Person[], message: string): void
  /** Continues with the remaining people. */
  resume(): void
  /** Retries the failed ones. */
  retry(): void
  stop(): void
  reset(): void
}

type Phase = 'idle' | 'running' | 'stopping'

interface Plan {
  createRun(): Promise<BroadcastRun>
  isIncluded(result: Result): boolean
  readonly isRetry: boolean
}

/** Returns the state of a broadcast. @param onComplete Called when no recipient is waiting or failed. */
export function useBroadcast(onComplete: () => void): Broadcast {
  const client = useQueryClient()
  const [run, setRun] = useState<BroadcastRun | null>(null)
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
      const results = await runPlan(plan, setRun, ending.current.signal)
      if (results.every(({ state }) => state !== 'waiting' && state !== 'failed')) onComplete()
    } catch (cause) {
      setError(cause)
    }
    ending.current = null
    setPhase('idle')
    await refresh(client, 'listAllDeliveries', 'listConversations', 'getConversation', 'listUsers')
  }
  const resumeWith = (run: BroadcastRun | null, isIncluded: Plan['isIncluded'], isRetry: boolean): void => {
    if (run !== null) void work({ createRun: async () => run, isIncluded, isRetry })
  }
  return {
    run,
    isRunning: phase !== 'idle',
    isStopping: phase === 'stopping',
    error,
    begin(people, message) {
      const createRun = async (): Promise<BroadcastRun> => ({
        message,
        people,
        results: new Map(),
        before: await takeDeliverySnapshot(),
      })
      void work({ createRun, isIncluded: () => true, isRetry: false })
    },
    resume: () => resumeWith(run, ({ state }) => state === 'waiting', false),
    retry: () => resumeWith(run, ({ state }) => state === 'failed', true),
    stop() {
      ending.current?.abort()
      setPhase('stopping')
    },
    reset: () => setRun(null),
  }
}

async function runPlan(
  { createRun, isIncluded, isRetry }: Plan,
  setRun: (run: BroadcastRun) => void,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const run = await createRun()
  setRun(run)
  const { message, before } = run
  const results = new Map(run.results)
  await sendToAll(
    run.people.filter(({ key }) => isIncluded(run.results.get(key) ?? { state: 'waiting' })),
    (person) => (isRetry ? redeliver(person, message, before) : deliver(person, message)),
    ({ key }, result) => {
      results.set(key, result)
      setRun({ ...run, results: new Map(results) })
    },
    signal,
  )
  return run.people.map(({ key }) => results.get(key) ?? { state: 'waiting' })
}

/** The service's page limit. */
const MOST = 200

/** Returns the existing deliveries before a broadcast. @throws {ApiError} */
async function takeDeliverySnapshot(): Promise<DeliverySnapshot> {
  const [newest, dead] = await Promise.all([
    call('listAllDeliveries', { query: { limit: MOST } }),
    call('listAllDeliveries', { query: { limit: MOST, dead: 'true' } }),
  ])
  const all = [...newest.items, ...dead.items]
  return {
    ids: new Set(all.map(({ id }) => id)),
    since: all.reduce((youngest, { created_at }) => Math.max(youngest, created_at), 0),
  }
}

/** Sends to one person and waits for the outcome. @throws {ApiError} */
async function deliver({ platform, userId }: Person, message: string): Promise<void> {
  await call('sendMessage', { params: { platform }, body: { message, user_id: userId } })
}

/** Sends again, retrying parts stored since `before` instead of repeating them. @throws {ApiError} */
const redeliver = (person: Person, message: string, before: DeliverySnapshot): Promise<void> =>
  sendAgain({
    send: () => deliver(person, message),
    resend: (id) => call('resendDelivery', { params: { platform: person.platform, id } }),
    async stored() {
      const { items } = await call('listAllDeliveries', { query: { platform: person.platform, limit: MOST } })
      const isFromBroadcast = ({ id, kind, created_at, to }: (typeof items)[number]): boolean =>
        kind === 'send' && to?.user_id === person.userId && created_at >= before.since && !before.ids.has(id)
      return items.filter(isFromBroadcast).toReversed()
    },
  })
