import { parseJson } from './json.ts'

/** The whole body; `null` when it is larger, and then no more of it is read. */
export async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.body === null) return new Uint8Array()
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body.cancel()
    return null
  }
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

/** The body as JSON; `undefined` when it is none, or larger. */
export async function readJson(response: Response, maxBytes: number): Promise<unknown> {
  const bytes = await readUpTo(response, maxBytes)
  return bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
}

/** `Retry-After` in seconds, as milliseconds of at most a day; `undefined` when there is none. */
export function retryAfterOf(response: Response): number | undefined {
  const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after')?.trim() ?? '')?.[0]
  return seconds === undefined ? undefined : Math.min(Number(seconds), 86_400) * 1_000
}
