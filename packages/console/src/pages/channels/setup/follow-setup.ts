import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { useEffect, useReducer, useSyncExternalStore } from 'react'
import { advance, hasEnded, type News, type Run, type Setup, type SetupKind } from './setup-run.ts'
import { type ApiError, ApiError as Failed } from '../../../api/api-error.ts'
import { call, send } from '../../../api/call.ts'
import { useOnce } from '../../../api/once.ts'
import type { Platform } from '../../../parts/platform.tsx'
import { pause } from '../../../pause.ts'

const WAIT_SECONDS = 25
const AGAIN_MS = 2_000

/** Follows a set-up until it ends or `signal` aborts. What cannot be reached is asked again; what is refused is told. */
async function follow(
  { platform, id }: Pick<Setup, 'platform' | 'id'>,
  tell: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  let version = 0
  while (!signal.aborted) {
    try {
      const query = { wait: WAIT_SECONDS, version }
      const setup = await call('getSetup', { params: { platform, id }, query }, signal)
      version = setup.version
      tell({ setup })
      if (hasEnded(setup)) return
    } catch (error) {
      if (signal.aborted) return
      const mayPass = error instanceof Failed && (error.status === 0 || error.status >= 500)
      if (!mayPass) return tell({ error })
      await pause(AGAIN_MS, signal)
    }
  }
}

/** Begins a set-up; whenever `signal` aborts it is cancelled, also when the answer comes later. */
async function begin(
  platform: Platform,
  kind: SetupKind,
  tell: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const setup = await call('startSetup', { params: { platform }, body: { kind } })
    const cancel = (): void => leave(setup)
    if (signal.aborted) return cancel()
    signal.addEventListener('abort', cancel, { once: true })
    // who closes the tab leaves, too
    window.addEventListener('pagehide', cancel, { once: true, signal })
    tell({ setup })
  } catch (error) {
    if (!signal.aborted) tell({ error })
  }
}

/** Cancels it; one that has ended stays as it is. */
const leave = ({ platform, id }: Setup): void =>
  void send('cancelSetup', { params: { platform, id } }, { keepalive: true }).catch(() => {
    // nobody is there to be told: the service gives up by itself what nobody looks at
  })

const isVisible = (): boolean => !document.hidden
const onVisibility = (changed: () => void): (() => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

/** A set-up that begins with the part that shows it, and is cancelled with it. */
export interface FollowedSetup {
  readonly run: Run
  readonly answer: UseMutationResult<Setup, ApiError, Readonly<Record<string, string>>>
}

/** Begins a set-up and follows it, while somebody looks at the page. */
export function useSetup(platform: Platform, kind: SetupKind): FollowedSetup {
  const [run, tell] = useReducer(advance, { stage: 'starting' } as const)
  const visible = useSyncExternalStore(onVisibility, isVisible)
  useEffect(() => {
    const leaving = new AbortController()
    void begin(platform, kind, tell, leaving.signal)
    return () => leaving.abort()
  }, [platform, kind])
  const id = run.stage === 'going' ? run.setup.id : null
  const isFollowed = visible && run.stage === 'going' && !hasEnded(run.setup)
  useEffect(() => {
    if (id === null || !isFollowed) return
    const over = new AbortController()
    void follow({ platform, id }, tell, over.signal)
    return () => over.abort()
  }, [platform, id, isFollowed])
  const once = useOnce()
  const answer = useMutation<Setup, ApiError, Readonly<Record<string, string>>>({
    mutationFn: (values) =>
      once(values, () => call('answerSetup', { params: { platform, id: id ?? '' }, body: { values } })),
    onSuccess: (setup) => tell({ setup }),
  })
  return { run, answer }
}
