import { ApiError } from './api-error.ts'
import type { Operations } from './gateway-api.ts'
import type { StreamName } from './call.ts'

/** What a stream says. */
export type EventOf<N extends StreamName> = Operations[N] extends { readonly event: infer E } ? E : never

/**
 * The events of an answer that is a stream, each as soon as it is whole; comments and empty events are passed over.
 * @throws {ApiError} `no_answer` when the connection breaks
 */
export async function* eventsOf<N extends StreamName>(_name: N, response: Response): AsyncGenerator<EventOf<N>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunksOf(response)) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = dataOf(block)
      if (data !== '') yield JSON.parse(data) as EventOf<N> // the service writes it by the schema that the type is made from
    }
  }
}

const dataOf = (block: string): string =>
  block
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n')

async function* chunksOf({ body }: Response): AsyncGenerator<Uint8Array> {
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
    await reader.cancel().catch(() => undefined) // it is over already
  }
}
