import { type ReactNode, useSyncExternalStore } from 'react'
import { clockOf, machineTime, useFormat } from '../language/format.ts'

const EVERY_MS = 1_000
const watchers = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(changed: () => void): () => void {
  watchers.add(changed)
  if (timer === undefined) {
    now = Date.now() // nobody has watched for a while
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

/** The time, milliseconds since the Unix epoch; the page follows it. @param stepMs How exact it needs to be. */
export const useNow = (stepMs = EVERY_MS): number =>
  useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs)

/** How long ago or ahead a time is, with the time itself for who wants it. */
export function Ago({ at }: { readonly at: number }): ReactNode {
  const format = useFormat()
  const nowMs = useNow()
  return (
    <time dateTime={machineTime(at)} title={format.exact(at)}>
      {format.relative(at, nowMs)}
    </time>
  )
}

/** The time of day, with the day when it is another one. */
export function Clock({ at }: { readonly at: number }): ReactNode {
  const format = useFormat()
  const nowMs = useNow(60_000)
  return (
    <time dateTime={machineTime(at)} title={format.exact(at)}>
      {format.time(at, nowMs)}
    </time>
  )
}

/** `4:59`, from an hour on `1:59:59`, until `at`; never below zero. */
export function Countdown({ until }: { readonly until: number }): ReactNode {
  const left = until - useNow()
  return <time dateTime={`PT${Math.max(0, Math.floor(left / 1_000))}S`}>{clockOf(left)}</time>
}
