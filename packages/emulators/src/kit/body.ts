import type { IncomingMessage } from 'node:http'

/** Largest request, bytes: a 50 MB file and its form. */
export const BODY_LIMIT: number = 52 * 1024 * 1024

/** Reads a whole request; `null` when it is larger than `BODY_LIMIT`: the rest is left unread. */
export async function readBytes(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT) return null
  const chunks: Buffer[] = []
  let size = 0
  const incoming = request as AsyncIterable<Buffer> // no encoding is set, so chunks are buffers
  for await (const chunk of incoming) {
    size += chunk.length
    if (size > BODY_LIMIT) return null
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}

/** The JSON value, or undefined when it is none. */
export function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown // untrusted: every reader checks what it takes
  } catch {
    return undefined
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
