import type { PlatformIo } from '../../platform-io.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'

/** For calls that nobody stops. */
export const never: AbortSignal = new AbortController().signal

/** A world whose time stands still. */
export interface TestIo extends PlatformIo {
  readonly clock: ManualClock
  /** Everything that was logged. */
  readonly lines: readonly { readonly message: string; readonly fields: unknown }[]
}

/** @param more What is to differ from the real network, the configured hosts and a random 0. */
export function testIo(more: Partial<PlatformIo> & { readonly clock?: ManualClock } = {}): TestIo {
  const lines: TestIo['lines'][number][] = []
  const note = (message: string, fields?: unknown): void => void lines.push({ message, fields })
  const log = { debug: note, info: note, warn: note, error: note }
  const host = (_name: string, url: string): string => url
  return { fetch: globalThis.fetch, random: () => 0, log, host, clock: manualClock(Date.now()), lines, ...more }
}

/** Resolves when somebody else has got so far, without waiting for time to pass. */
export async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve))
}

/** An answer that is held until the caller leaves. */
export const held = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    const leave = (): void => reject(new DOMException('aborted', 'AbortError'))
    if (signal?.aborted === true) leave()
    signal?.addEventListener('abort', leave)
  })

/** The URL of what fetch was given. */
export const urlOf = (input: string | URL | Request): string =>
  input instanceof Request ? input.url : input.toString()

/** The same world for a process that has seen nothing of it yet. */
export const afterRestart = (io: PlatformIo): PlatformIo => ({ ...io })
