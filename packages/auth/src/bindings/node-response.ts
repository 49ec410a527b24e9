import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Headers of which a middleware may have set one already, that stays. */
const ADDED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])

/**
 * Writes `response`, as fast as the client takes it. Resolves when it is written, or when the client is gone: then
 * nothing more is asked of its body.
 * @throws {Error} when its body fails; the connection is cut then, so that nobody takes half an answer for a whole one
 */
export async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  const { body } = response
  if (outgoing.destroyed || outgoing.headersSent) return body?.cancel()
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (ADDED.has(name)) outgoing.appendHeader(name, value)
    else outgoing.setHeader(name, value)
  }
  if (body === null || outgoing.req.method === 'HEAD') {
    outgoing.end()
    return body?.cancel()
  }
  try {
    await pipeline(Readable.fromWeb(body), outgoing)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
