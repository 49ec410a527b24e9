import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * The body of a request, read from the socket only as fast as it is taken. When nobody wants the rest, or the answer is
 * out, the rest is thrown away as it comes: so the client gets to read the answer, and the connection stays good.
 */
export function requestBody(incoming: IncomingMessage, outgoing: ServerResponse): ReadableStream<Uint8Array> {
  let over = false
  const discard = (): void => {
    over = true
    incoming.resume()
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const end = (error?: Error): void => {
          if (over) return
          over = true
          if (error === undefined) controller.close()
          else controller.error(error)
        }
        const gone = (): void => end(new Error('The client went away.'))
        if (incoming.destroyed) return gone()
        incoming.pause()
        incoming.on('data', (chunk: Uint8Array) => {
          if (over) return
          incoming.pause()
          controller.enqueue(chunk)
        })
        incoming.once('end', () => end())
        incoming.once('error', end)
        incoming.once('close', gone)
        outgoing.once('close', discard)
      },
      pull() {
        incoming.resume()
      },
      cancel: discard,
    },
    { highWaterMark: 0 },
  )
}
