/** Bodies of the responses that are made here. */
const bodies = new WeakMap<Response, string | null>()

/** A response whose body is known without asking for it. */
export function ownResponse(body: string | null, init: ResponseInit): Response {
  const response = new Response(body, init)
  bodies.set(response, body)
  return response
}

/** For a copy of the response. `Response.body` would make a stream of a text, which costs more than a whole page. */
export function bodyOf(response: Response): ReadableStream<Uint8Array> | string | null {
  const own = bodies.get(response)
  return own === undefined ? response.body : own
}
