import { isRecord } from './body.ts'
import { CONTROL_OPERATIONS, type PlatformControl } from './control.ts'
import type { FaultBase } from './faults.ts'

/**
 * The control interface of an emulator in another process.
 * @param url As the emulator gave it, without a trailing slash.
 * @param below Path of the operations; that of the Telegram emulator is `/control/common`.
 */
export const connectControl = <F extends FaultBase = FaultBase>(url: string, below?: string): PlatformControl<F> =>
  connectOperations<PlatformControl<F>>(url, CONTROL_OPERATIONS, below)

/** @param names The members of `T`, each an operation of the emulator's. */
export function connectOperations<T>(url: string, names: readonly string[], below: string = '/control'): T {
  const call = async (operation: string, options: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${below}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(options ?? {}),
    })
    const answer: unknown = await response.json()
    if (isRecord(answer) && answer['ok'] === true) return answer['result'] ?? undefined
    throw new RangeError(isRecord(answer) ? String(answer['error']) : `The emulator answered ${response.status}`)
  }
  const operations = names.map((name) => [name, (options?: unknown) => call(name, options)] as const)
  return Object.fromEntries(operations) as unknown as T // one function per operation; the server gives the types
}
