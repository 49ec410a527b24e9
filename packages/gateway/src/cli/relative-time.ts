const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

const duration = (ms: number): string => {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(ms / size)
    if (count >= 1) return unit === 'day' && count > 1 ? `${count} days` : `${count} ${unit}`
  }
  return '0 s'
}

/** `atMs` against `nowMs`: `just now`, `2 min ago`, `in 5 s`; a week and more away: the local date and time. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - atMs)
  if (distance >= 7 * 86_400_000) return localTime(atMs)
  if (atMs > nowMs) return `in ${duration(Math.max(distance, 1000))}`
  return distance < 5000 ? 'just now' : `${duration(distance)} ago`
}

/** Date and time in the zone of this process: `2026-11-21 09:30`. */
export function localTime(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
