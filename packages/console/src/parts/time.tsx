import { type ReactNode, useSyncExternalStore } from 'react'
import { formatCountdown, machineTime, useFormat } from '../language/format.ts'

const EVERY_MS = 1_000
const watchers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(changed: () => void): () => void {
  watchers.add(changed)
  if (timer === undefined) {
    now = Date.now() // stale after a time without subscribers
    timer = setInterval(() => {
      now = Date.now()
      for (const watcher of watchers) watcher()
    }, EVERY_MS)
  }
  return () => {
    watchers.delete(changed)
    if (watchers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Returns the current time in ms, updated continuously. @param stepMs Resolution. */
export const useNow = (stepMs = EVERY_MS): number =>
  useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs)

/** A relative time with the exact time as tooltip. */
export function RelativeTime({ at }: { readonly at: number }): ReactNode {
  const format = useFormat()
  const nowMs = useNow()
  return (
    <time dateTime={machineTime(at)} title={format.exact(at)}>
      {format.relative(at, nowMs)}
    </time>
  )
}

/** The time of day, with the date if it isn't today. */
export function Clock({ at }: { readonly at: number }): ReactNode {
  const format = useFormat()
  const nowMs = useNow(60_000)
  return (
    <time dateTime={machineTime(at)} title={format.exact(at)}>
      {format.time(at, nowMs)}
    </time>
  )
}

/** Counts down to a time: `4:59`, or `1:59:59` from one hour. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const left = until - useNow()
  return <time dateTime={`PT${Math.max(0, Math.floor(left / 1_000))}S`}>{formatCountdown(left)}</time>
}
