import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'
import { ApiError } from './api/api-error.ts'
import { isAnswering } from './api/call.ts'
import { Page } from './parts/layout.tsx'
import { Failure, Loading } from './parts/states.tsx'
import { pause } from './pause.ts'

type Load = () => Promise<void>

/** Creates a page whose module loads on first use, or earlier with `preload`. */
export function pageModule(
  imported: () => Promise<{ readonly Page: ComponentType }>,
): (() => ReactNode) & { preload(): Promise<void> } {
  let Known: ComponentType | null = null
  const load: Load = async () => {
    Known = (await imported()).Page
  }
  const Lazy = (): ReactNode => {
    const [, showIt] = useReducer((times: number) => times + 1, 0)
    return Known === null ? <LoadingPage load={load} onLoaded={showIt} /> : <Known />
  }
  // retried when the page is opened
  return Object.assign(Lazy, { preload: () => load().catch(() => undefined) })
}

/** Stands in for a page until its module is loaded. */
function LoadingPage({ load, onLoaded }: { readonly load: Load; onLoaded(): void }): ReactNode {
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    void loadWithRetry(load, setError, signal).then(
      () => signal.aborted || onLoaded(),
      (cause: unknown) => signal.aborted || setError(cause),
    )
    return () => leaving.abort()
  }, [load, onLoaded])
  return (
    <Page title="Gatepost">
      {error === null ? <Loading lines={6} /> : <Failure error={error} onRetry={() => location.reload()} />}
    </Page>
  )
}

const AGAIN_MS = 2_000
const JUST_NOW_MS = 60_000

/**
 * Retries until the module loads. If the service responds but doesn't have the module, it serves a newer build:
 * the page is then reloaded, once.
 */
async function loadWithRetry(load: Load, say: (error: unknown) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await load()
    } catch (cause) {
      if (await isAnswering(signal)) {
        if (wasJustReloaded()) throw cause
        location.reload()
      } else say(new ApiError('no_answer', 'The service does not answer.', {}, { cause }))
    }
    await pause(AGAIN_MS, signal)
  }
}

/** Reports whether the page was reloaded a moment ago, so that it isn't reloaded again. */
const wasJustReloaded = (): boolean =>
  performance.now() < JUST_NOW_MS &&
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload') // all entries of this type are
