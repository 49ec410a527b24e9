import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as immediate } from 'node:timers/promises'

/** What goes wrong with a streamed answer. `after`: how many pieces come before it. */
export type AnswerFault =
  /** Silence; the connection stays open. */
  | { readonly type: 'stall'; readonly after: number }
  /** The connection is cut. */
  | { readonly type: 'drop'; readonly after: number }
  /** The stream ends properly, but without a finish reason and `[DONE]`. */
  | { readonly type: 'unfinished'; readonly after: number }
  /** An error object in the stream. */
  | { readonly type: 'error'; readonly after: number; readonly message: string; readonly code?: string }
  /** These bytes as they are. */
  | { readonly type: 'bytes'; readonly after: number; readonly bytes: Uint8Array }
  /** The same piece for ever, as fast as it is read. */
  | { readonly type: 'endless'; readonly piece: string }
  /** One line that never ends, as fast as it is read. */
  | { readonly type: 'endless_line' }
  /** All pieces, then this finish reason, e.g. `length` or `content_filter`. */
  | { readonly type: 'finish'; readonly reason: string }
  /** The model declines, in the member made for it. */
  | { readonly type: 'refusal'; readonly text: string }
  /** A whole answer of this media type instead of a stream. */
  | { readonly type: 'not_a_stream'; readonly mime: string }

export interface Reply {
  readonly model: string
  readonly pieces: readonly string[]
  /** Between two pieces of a stream. */
  pause(signal: AbortSignal): Promise<void>
}

/** Sends a reply, streamed or whole, with at most one fault. Resolves when it has ended or the client has gone. */
export async function sendAnswer(
  response: ServerResponse,
  reply: Reply,
  streamed: boolean,
  fault: AnswerFault | undefined,
): Promise<void> {
  if (!streamed || fault?.type === 'not_a_stream') {
    response.writeHead(200, { 'content-type': fault?.type === 'not_a_stream' ? fault.mime : 'application/json' })
    response.end(JSON.stringify(completion(reply)))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  await write(response, chunk(reply, { role: 'assistant', content: '' }, null))
  if (fault?.type === 'endless') return forEver(response, chunk(reply, { content: fault.piece }, null))
  if (fault?.type === 'endless_line') return forEver(response, 'data: '.padEnd(64 * 1024, 'x'))
  const after = fault !== undefined && 'after' in fault ? fault.after : reply.pieces.length
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (const content of fault?.type === 'refusal' ? [] : reply.pieces.slice(0, after)) {
    await reply.pause(gone.signal)
    await write(response, chunk(reply, { content }, null))
  }
  await end(response, reply, fault)
}

async function end(response: ServerResponse, reply: Reply, fault: AnswerFault | undefined): Promise<void> {
  switch (fault?.type) {
    case 'stall':
      return
    case 'drop':
      response.destroy()
      return
    case 'unfinished':
      response.end()
      return
    case 'error': {
      const error = { message: fault.message, type: 'server_error', param: null, code: fault.code ?? null }
      response.end(`data: ${JSON.stringify({ error })}\n\n`)
      return
    }
    case 'bytes':
      response.end(fault.bytes)
      return
    case 'refusal':
      await write(response, chunk(reply, { refusal: fault.text }, null))
      break
    case 'endless':
    case 'endless_line':
    case 'finish':
    case 'not_a_stream':
    case undefined:
  }
  await write(response, chunk(reply, {}, fault?.type === 'finish' ? fault.reason : 'stop'))
  response.end('data: [DONE]\n\n')
}

function completion({ model, pieces }: Reply): unknown {
  return {
    id: 'chatcmpl-emulated',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: pieces.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 0, completion_tokens: pieces.length, total_tokens: pieces.length },
  }
}

function chunk({ model }: Reply, delta: Readonly<Record<string, string>>, finishReason: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }]
  const value = { id: 'chatcmpl-emulated', object: 'chat.completion.chunk', created: 0, model, choices }
  return `data: ${JSON.stringify(value)}\n\n`
}

async function forEver(response: ServerResponse, text: string): Promise<void> {
  const gone = once(response, 'close')
  while (!response.closed && !response.destroyed) {
    const drained = response.write(text) ? immediate() : once(response, 'drain')
    await Promise.race([drained, gone])
  }
}

/** Resolves when the text has been handed to the network, or the client has gone. */
const write = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    if (response.closed || response.destroyed) done()
    else response.write(text, done)
  })
