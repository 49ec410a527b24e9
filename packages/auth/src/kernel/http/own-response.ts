const BODY = Symbol('body')

/** A response that is made here. (A `WeakMap` would keep both until the next full garbage collection.) */
interface OwnResponse extends Response {
  [BODY]?: string | null
}

/** Creates a response whose body can be read synchronously. */
export function ownResponse(body: string | null, init: ResponseInit): Response {
  const response: OwnResponse = new Response(body, init)
  response[BODY] = body
  return response
}

/** For a copy of the response. `Response.body` would make a stream of a text, which costs more than a whole page. */
export function readOwnBody(response: OwnResponse): ReadableStream<Uint8Array> | string | null {
  const own = response[BODY]
  return own === undefined ? response.body : own
}
