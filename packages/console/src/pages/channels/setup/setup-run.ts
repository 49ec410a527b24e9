import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useEffect, useReducer, useSyncExternalStore } from 'react'
import { type Answer, type ApiError, ApiError as Failed, call, sendRequest } from '../../../api/client.ts'
import { useRunOnce } from '../../../api/queries.ts'
import type { Platform } from '../../../parts/platform.tsx'
import { pause } from '../../../pause.ts'

/** A setup as the service returns it. */
export type Setup = Answer<'startSetup'>
/** The kind of a setup method. */
export type SetupKind = Setup['kind']

/** A method of setting up a platform. */
export type SetupMethod = Answer<'listSetupWays'>['ways'][number]

/** The progress of a setup. */
export type SetupProgress =
  | { readonly stage: 'starting' }
  /** It couldn't start, or the service no longer knows it. */
  | { readonly stage: 'broken'; readonly error: unknown }
  | {
      readonly stage: 'going'
      readonly setup: Setup
      /** The fields requested last, also while the values are being checked. */
      readonly asked: Setup['fields']
      /** Number of times values were requested. Above 1, the previous ones were rejected. */
      readonly asks: number
    }

type SetupNews = { readonly setup: Setup } | { readonly error: unknown }

/** Returns the progress after an update. Pure. Outdated updates are ignored. */
export function advanceSetup(run: SetupProgress, news: SetupNews): SetupProgress {
  if ('error' in news)
    return run.stage === 'going' && hasEnded(run.setup) ? run : { stage: 'broken', error: news.error }
  const { setup } = news
  const before = run.stage === 'going' && run.setup.id === setup.id ? run : null
  if (before !== null && before.setup.version >= setup.version) return run
  const isAsking = setup.state === 'input_needed'
  const isNew = isAsking && before?.setup.state !== 'input_needed'
  return {
    stage: 'going',
    setup,
    asked: isAsking ? setup.fields : (before?.asked ?? []),
    asks: (before?.asks ?? 0) + (isNew ? 1 : 0),
  }
}

/** Reports whether a setup has ended. */
const hasEnded = ({ state }: Setup): boolean => state === 'done' || state === 'failed'

const WAIT_SECONDS = 25
const RETRY_MS = 2_000

/** Polls a setup until it ends or `signal` aborts. Retries network errors and reports rejections. */
async function pollSetup(
  { platform, id }: Pick<Setup, 'platform' | 'id'>,
  report: (news: SetupNews) => void,
  signal: AbortSignal,
): Promise<void> {
  let version = 0
  while (!signal.aborted) {
    try {
      const query = { wait: WAIT_SECONDS, version }
      const setup = await call('getSetup', { params: { platform, id }, query }, signal)
      version = setup.version
      report({ setup })
      if (hasEnded(setup)) return
    } catch (error) {
      if (signal.aborted) return
      const isTransient = error instanceof Failed && (error.status === 0 || error.status >= 500)
      if (!isTransient) return report({ error })
      await pause(RETRY_MS, signal)
    }
  }
}

/** Starts a setup and cancels it when `signal` aborts, even if the response arrives later. */
async function startSetup(
  platform: Platform,
  kind: SetupKind,
  report: (news: SetupNews) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const setup = await call('startSetup', { params: { platform }, body: { kind } })
    const cancel = (): void => cancelSetup(setup)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    // closing the tab cancels it too
    window.addEventListener('pagehide', cancel, { once: true, signal })
    report({ setup })
  } catch (error) {
    if (!signal.aborted) report({ error })
  }
}

/** Cancels a setup. One that has ended is unaffected. */
const cancelSetup = ({ platform, id }: Setup): void =>
  void sendRequest('cancelSetup', { params: { platform, id } }, { keepalive: true }).catch(() => {
    // nowhere left to report it: the service expires abandoned setups
  })

const isVisible = (): boolean => !document.hidden
const onVisibility = (changed: () => void): (() => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/** A setup tied to the component that shows it. */
export interface FollowedSetup {
  readonly run: SetupProgress
  readonly answer: UseMutationResult<Setup, ApiError, Readonly<Record<string, string>>>
}

/** Starts a setup and follows it while the page is visible. Unmounting cancels it. */
export function useSetup(platform: Platform, kind: SetupKind): FollowedSetup {
  const [run, report] = useReducer(advanceSetup, { stage: 'starting' } as const)
  const visible = useSyncExternalStore(onVisibility, isVisible)
  useEffect(() => {
    const leaving = new AbortController()
    void startSetup(platform, kind, report, leaving.signal)
    return () => leaving.abort()
  }, [platform, kind])
  const id = run.stage === 'going' ? run.setup.id : null
  const isFollowed = visible && run.stage === 'going' && !hasEnded(run.setup)
  useEffect(() => {
    if (id === null || !isFollowed) return
    const over = new AbortController()
    void pollSetup({ platform, id }, report, over.signal)
    return () => over.abort()
  }, [platform, id, isFollowed])
  const once = useRunOnce()
  const answer = useMutation<Setup, ApiError, Readonly<Record<string, string>>>({
    mutationFn: (values) =>
      once(values, () => call('answerSetup', { params: { platform, id: id ?? '' }, body: { values } })),
    onSuccess: (setup) => report({ setup }),
  })
  return { run, answer }
}
