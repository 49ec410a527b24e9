import type { Kernel } from '../../kernel/kernel.ts'

/**
 * Returns the skew to the protocol library's clock, which is the system clock; stored times use the configured clock.
 * @returns Seconds that the library's clock is ahead: 0 except in tests.
 */
function clockSkewSeconds({ clock }: Pick<Kernel, 'clock'>): number {
  const ours = clock.now()
  return Math.floor((Date.now() - ours) / 1_000)
}

/** Seconds since the Unix epoch as the library reads them. @param ms Milliseconds of ours. */
export const toLibraryTime = (core: Pick<Kernel, 'clock'>, ms: number): number => ms / 1_000 + clockSkewSeconds(core)

const TIMES = ['iat', 'exp', 'authTime', 'iiat', 'loginTs', 'consumed'] as const

type Payload = Readonly<Record<string, unknown>>

/** A payload of the library with the times of our clock. */
export const toStoredTimes = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload =>
  shiftTimes(payload, -clockSkewSeconds(core))

/** The other way round. */
export const fromStoredTimes = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload =>
  shiftTimes(payload, clockSkewSeconds(core))

function shiftTimes(payload: Payload, seconds: number): Payload {
  if (seconds === 0) return payload
  const times = TIMES.flatMap((name) => {
    const value = payload[name]
    return typeof value === 'number' ? [[name, value + seconds] as const] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}
