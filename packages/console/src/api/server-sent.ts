import { ApiError } from './api-error.ts'
import type { Operations } from './gateway-api.ts'
import type { StreamName } from './call.ts'

/** The events of a stream. */
export type StreamEvent<N extends StreamName> = Operations[N] extends { readonly event: infer E } ? E : never

/**
 * Yields the events of a streamed response, each as soon as it is complete. Skips comments and empty events.
 * @throws {ApiError} `no_answer` when the connection breaks
 */
export async function* readEvents<N extends StreamName>(_name: N, response: Response): AsyncGenerator<StreamEvent<N>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of readChunks(response)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = parseData(block)
      if (data !== '') yield JSON.parse(data) as StreamEvent<N> // the type is generated from the service's schema
    }
  }
}

const parseData = (block: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')

async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
        throw new ApiError('no_answer', 'The connection broke.', {}, { cause })
      })
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined) // already ended
  }
}
