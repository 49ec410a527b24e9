import { useEffect, useEffectEvent } from 'react'
import type { LogLine } from './gateway-api.ts'
import { followStream } from './live-stream.ts'

/** What is heard of the log as it is written. */
export interface LogListener {
  /** From now on nothing is missed; what was written before has to be asked for. */
  opened(): void
  line(line: LogLine): void
  broken(): void
}

/** Follows the log while `on` and while somebody looks at the page. */
export function useLiveLog(on: boolean, listener: LogListener): void {
  const opened = useEffectEvent(() => listener.opened())
  const broken = useEffectEvent(() => listener.broken())
  const heard = useEffectEvent((data: string) => {
    const { line } = JSON.parse(data) as { line: LogLine } // the service writes it by the schema that the type is made from
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
