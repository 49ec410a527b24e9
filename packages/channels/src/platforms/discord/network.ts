import { text } from '../wire/json.ts'

const BEFORE_SENDING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_INVALID_URL',
])

/** Whether the connection was never made: only then is it certain that nothing was sent. */
export function isBeforeSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return true // every address of the host was tried in vain
  if (error.message === 'bad port') return true // fetch itself refuses some ports
  const code = codeOf(error) ?? ''
  if (BEFORE_SENDING.has(code) || code.startsWith('CERT_') || code.startsWith('ERR_TLS_')) return true
  return ('syscall' in error && error.syscall === 'connect') || isBeforeSending(error.cause)
}

/** Why a fetch failed: its code alone, because the words of such errors can hold more than is to be shown. */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error)
  return code === undefined ? 'the connection failed' : `the connection failed (${code})`
}

/** The code of a network error, which fetch puts into its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? text(error.code) : undefined
  return code ?? codeOf(error.cause)
}

/** The whole body; `null` when it is larger. */
export async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  const body = response.body as AsyncIterable<Uint8Array> // the body of a response is bytes
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > maxBytes) return null // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}
