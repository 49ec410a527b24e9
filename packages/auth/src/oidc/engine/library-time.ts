import type { Kernel } from '../../kernel/kernel.ts'

/**
 * The protocol library knows one clock, that of the machine: what it reads is in its time, what is stored in ours.
 * @returns Seconds that its clock is ahead: 0 but in tests.
 */
function ahead({ clock }: Pick<Kernel, 'clock'>): number {
  const ours = clock.now()
  return Math.floor((Date.now() - ours) / 1_000)
}

/** Seconds since the Unix epoch as the library reads them. @param ms Milliseconds of ours. */
export const inLibraryTime = (core: Pick<Kernel, 'clock'>, ms: number): number => ms / 1_000 + ahead(core)

const TIMES = ['iat', 'exp', 'authTime', 'iiat', 'loginTs', 'consumed'] as const

type Payload = Readonly<Record<string, unknown>>

/** A payload of the library with the times of our clock. */
export const toStore = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload => shifted(payload, -ahead(core))

/** The other way round. */
export const fromStore = (core: Pick<Kernel, 'clock'>, payload: Payload): Payload => shifted(payload, ahead(core))

function shifted(payload: Payload, seconds: number): Payload {
  if (seconds === 0) return payload
  const times = TIMES.flatMap((name) => {
    const value = payload[name]
    return typeof value === 'number' ? [[name, value + seconds] as const] : []
  })
  return { ...payload, ...Object.fromEntries(times) }
}
