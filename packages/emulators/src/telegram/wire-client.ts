import { isRecord } from '../kit/http.ts'
import { DEFAULT_BOT } from './bots.ts'
import type { EmulatorClock } from '../kit/clock.ts'
import { startTelegramEmulator, type TelegramEmulator, type TelegramEmulatorOptions } from './emulator.ts'

/** An HTTP response. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

/** An emulator with plain HTTP calls, for tests. */
export interface Bench extends TelegramEmulator, AsyncDisposable {
  readonly root: string
  call(method: string, parameters?: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<WireAnswer>
  /** Resolves to the result of a call. Rejects when it fails. */
  result(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** Polls and resolves to the ids of the updates. */
  poll(parameters?: Readonly<Record<string, unknown>>): Promise<readonly number[]>
}

/** Starts an emulator; disposing of the bench stops it. */
export async function openBench(options: TelegramEmulatorOptions = {}): Promise<Bench> {
  const emulator = await startTelegramEmulator(options)
  const root = `${emulator.url}/bot${DEFAULT_BOT.token}`
  const call: Bench['call'] = async (method, parameters = {}, signal) => {
    const response = await fetch(`${root}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(parameters),
      ...(signal && { signal }),
    })
    return readAnswer(response)
  }
  return {
    ...emulator,
    root,
    call,
    async result(method, parameters) {
      const { body } = await call(method, parameters)
      if (body['ok'] !== true) throw new Error(`${method}: ${JSON.stringify(body)}`)
      return isRecord(body['result']) ? body['result'] : { result: body['result'] }
    },
    async poll(parameters) {
      const { body } = await call('getUpdates', parameters)
      if (!Array.isArray(body['result'])) throw new Error(JSON.stringify(body))
      return body['result'].map((update: unknown) => (isRecord(update) ? Number(update['update_id']) : Number.NaN))
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  }
}

/** Parses a response. */
export async function readAnswer(response: Response): Promise<WireAnswer> {
  const body: unknown = await response.json()
  return { status: response.status, headers: response.headers, body: isRecord(body) ? body : {} }
}

/** A clock that only `advance` moves. */
export interface ManualClock extends EmulatorClock {
  advance(ms: number): void
  /** Returns the number of sleeps that end exactly `ms` from now. */
  asleepFor(ms: number): number
  /** Resolves once there is a sleep. */
  asleep(): Promise<void>
}

/** Creates a manual clock. */
export function manualClock(startMs = 1_763_700_000_000): ManualClock {
  let now = startMs
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>()
  let watchers: (() => void)[] = []
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted || ms <= 0) return resolve()
        const wake = (): void => {
          sleepers.delete(sleeper)
          resolve()
        }
        const sleeper = { untilMs: now + ms, wake }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', wake, { once: true })
        for (const watcher of watchers.splice(0)) watcher()
      }),
    advance(ms) {
      now += ms
      for (const sleeper of sleepers) if (sleeper.untilMs <= now) sleeper.wake()
    },
    asleepFor: (ms) => [...sleepers].filter(({ untilMs }) => untilMs === now + ms).length,
    asleep: () =>
      sleepers.size > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            watchers = [...watchers, resolve]
          }),
  }
}
