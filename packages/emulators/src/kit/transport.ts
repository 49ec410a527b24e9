import type { ServerResponse } from 'node:http'
import type { EmulatorClock } from './clock.ts'
import type { FaultBase, TransportFault } from './faults.ts'

const KINDS: ReadonlySet<string> = new Set<TransportFault['kind']>([
  'drop_before',
  'drop_after',
  'hang',
  'bad_gateway',
  'slow',
  'server_error',
])

/** Whether a fault kind applies to every HTTP platform. */
export const isTransportFault = (kind: string): boolean => KINDS.has(kind)

/** Applies a fault before a call takes effect. Returns whether the call ends here. */
export function applyFaultBefore(fault: FaultBase | null, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case 'drop_before':
      response.destroy()
      return true
    case 'bad_gateway':
      response.writeHead(502, { 'content-type': 'text/html' }).end(BAD_GATEWAY)
      return true
    case 'server_error':
      response.writeHead('status' in fault ? Number(fault.status) : 500, { 'content-type': 'text/plain' }).end()
      return true
    case 'hang':
      return true
    default:
      return false
  }
}

/** Applies a fault after a call took effect. Resolves to whether it stays unanswered. */
export async function applyFaultAfter(
  fault: FaultBase | null,
  response: ServerResponse,
  clock: EmulatorClock,
): Promise<boolean> {
  if (fault?.kind === 'drop_after') response.destroy()
  if (fault?.kind === 'slow' && 'ms' in fault) {
    const gone = new AbortController()
    const leave = (): void => gone.abort()
    response.once('close', leave)
    await clock.sleep(Number(fault.ms), gone.signal)
    response.off('close', leave)
  }
  return response.destroyed
}

const BAD_GATEWAY =
  '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n'
