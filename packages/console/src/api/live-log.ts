import { useEffect, useEffectEvent } from 'react'
import { callAddress } from './call.ts'
import type { LogLine } from './gateway-api.ts'

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
  const heard = useEffectEvent(({ data }: MessageEvent<string>) => {
    const { line } = JSON.parse(data) as { line: LogLine } // the service writes it by the schema that the type is made from
    listener.line(line)
  })
  useEffect(() => {
    if (!on) return
    let source: EventSource | null = null
    const look = (): void => {
      if (document.hidden) {
        source?.close()
        source = null
      } else if (source === null || source.readyState === EventSource.CLOSED) {
        source = new EventSource(callAddress('streamLogs', {}))
        source.addEventListener('open', () => opened())
        source.addEventListener('error', () => broken())
        source.addEventListener('line', (event: MessageEvent<string>) => heard(event))
      }
    }
    document.addEventListener('visibilitychange', look)
    window.addEventListener('online', look)
    look()
    return () => {
      document.removeEventListener('visibilitychange', look)
      window.removeEventListener('online', look)
      source?.close()
    }
  }, [on])
}
