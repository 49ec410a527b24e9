import { useEffect, useEffectEvent } from 'react'
import type { LogLine } from './gateway-api.ts'
import { followStream } from './live-stream.ts'

/** Callbacks of the live log. */
export interface LogListener {
  /** No line is missed from here on; earlier ones have to be fetched. */
  opened(): void
  line(line: LogLine): void
  broken(): void
}

/** Follows the log while `on` and while the page is visible. */
export function useLiveLog(on: boolean, listener: LogListener): void {
  const opened = useEffectEvent(() => listener.opened())
  const broken = useEffectEvent(() => listener.broken())
  const heard = useEffectEvent((data: string) => {
    const { line } = JSON.parse(data) as { line: LogLine } // the type is generated from the service's schema
    listener.line(line)
  })
  useEffect(() => {
    if (!on) return
    return followStream('streamLogs', {}, ['line'], {
      opened: () => opened(),
      broken: () => broken(),
      event: (data) => heard(data),
    })
  }, [on])
}
