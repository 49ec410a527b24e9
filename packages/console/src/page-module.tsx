import { type ComponentType, type ReactNode, useEffect, useReducer, useState } from 'react'
import { ApiError } from './api/api-error.ts'
import { isAnswering } from './api/call.ts'
import { Page } from './parts/layout.tsx'
import { Failure, Loading } from './parts/states.tsx'
import { pause } from './pause.ts'

type Load = () => Promise<void>

/** A page whose module is loaded at its first use, or ahead of it by `preload`. */
export function pageModule(
  imported: () => Promise<{ readonly Page: ComponentType }>,
): (() => ReactNode) & { preload(): Promise<void> } {
  let Known: ComponentType | null = null
  const load: Load = async () => {
    Known = (await imported()).Page
  }
  const Lazy = (): ReactNode => {
    const [, showIt] = useReducer((times: number) => times + 1, 0)
    return Known === null ? <Missing load={load} onLoaded={showIt} /> : <Known />
  }
  // what cannot be loaded ahead is tried again when somebody is there
  return Object.assign(Lazy, { preload: () => load().catch(() => undefined) })
}

/** In place of a page whose module did not come. */
function Missing({ load, onLoaded }: { readonly load: Load; onLoaded(): void }): ReactNode {
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    void persist(load, setError, signal).then(
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
 * Loads it when the service is there again. A service that is there and does not have it has a newer build: then the
 * page is loaded anew, once.
 */
async function persist(load: Load, say: (error: unknown) => void, signal: AbortSignal): Promise<void> {
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

/** A reload that did not help is not tried again. */
const wasJustReloaded = (): boolean =>
  performance.now() < JUST_NOW_MS &&
  performance.getEntriesByType('navigation').some((entry) => (entry as PerformanceNavigationTiming).type === 'reload') // all of this kind are
