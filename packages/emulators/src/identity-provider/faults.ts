import { tokenError } from './oauth2-token.ts'
import { jsonReply, textReply } from './reply.ts'
import type { Call, Shape } from './shape.ts'
import type { Fault } from './state.ts'

/** Never answers; gives up only when the client does. */
const hang = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const stop = (): void => reject(new DOMException('The operation was aborted.', 'AbortError'))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop)
  })

function errorReply(shape: Shape, call: Call): Response {
  if (call.kind === 'token' && shape.protocol === 'oauth2') return tokenError(shape, call, 'invalid_grant')
  if (shape.protocol === 'oauth1') return textReply(401, 'Could not authenticate you.')
  return jsonReply(call.kind === 'token' ? 400 : 403, {
    error: 'temporarily_unavailable',
    error_description: 'Emulated.',
  })
}

/** The reply of a fault that breaks the whole call; `null` when the fault only changes the reply. */
export async function faultReply(
  fault: Fault | null,
  shape: Shape,
  call: Call,
  signal: AbortSignal,
): Promise<Response | null> {
  switch (fault) {
    case 'hang':
      return hang(signal)
    case 'reset':
      throw new TypeError('fetch failed', {
        cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
      })
    case 'status_500':
      return new Response('<html><body>Internal Server Error</body></html>', {
        status: 500,
        headers: { 'content-type': 'text/html' },
      })
    case 'malformed':
      return new Response('{"access_token": "cut o', { status: 200, headers: { 'content-type': 'application/json' } })
    case 'error':
      return call.kind === 'authorize' ? null : errorReply(shape, call)
    default:
      return null
  }
}
