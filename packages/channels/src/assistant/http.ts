import { mask } from '../secret.ts'
import { AssistantError, type AssistantPiece, type AssistantTurn, type TurnFile } from './assistant.ts'
import { readLines, ANSWER_BYTES, readStep, readWholeAnswer } from './wire-answer.ts'
import { type Endpoint, mediaType, request, responseBytes } from './request.ts'
import type { HttpSettings } from './settings.ts'
import type { Watch } from './watch.ts'
import { messagesToAnswer, readContents, wireTurn } from './wire-turn.ts'

const CONTENT_LIMITS = { eachBytes: 10 * 1024 * 1024, totalBytes: 20 * 1024 * 1024 }

/** Posts the turn to an endpoint and reads its reply, JSON or server-sent events: see docs/assistants.md. */
export async function* streamHttp(
  settings: HttpSettings,
  endpoint: Endpoint,
  turn: AssistantTurn,
  watch: Watch,
): AsyncGenerator<AssistantPiece> {
  const response = await request(endpoint, settings.url, await buildRequest(settings, turn, watch.signal), watch)
  const type = mediaType(response)
  const bytes = responseBytes(response, ANSWER_BYTES, watch)
  if (type === 'application/json') yield* readWholeAnswer(Buffer.concat(await Array.fromAsync(bytes)).toString())
  else if (type === 'text/event-stream') yield* readEvents(bytes, settings)
  else throw new AssistantError('malformed', 'The response is neither application/json nor text/event-stream.')
}

async function buildRequest(settings: HttpSettings, turn: AssistantTurn, signal: AbortSignal): Promise<RequestInit> {
  const files = messagesToAnswer(turn).flatMap((message) => message.files)
  const contents = await readContents(files, CONTENT_LIMITS, signal)
  const content = (file: TurnFile): Record<string, string> => {
    const bytes = contents.get(file)
    if (bytes !== undefined) return { content: bytes.toString('base64') }
    return { problem: file.problem ?? (files.includes(file) ? 'too large or unreadable' : 'part of the history') }
  }
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'idempotency-key': turn.id,
      ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey.reveal()}` }),
    },
    body: JSON.stringify(wireTurn(turn, content)),
  }
}

/** @see WHATWG HTML, "Server-sent events": `data` lines up to a blank line form one event; other fields are ignored. */
async function* readEvents(bytes: AsyncIterable<Uint8Array>, settings: HttpSettings): AsyncGenerator<AssistantPiece> {
  const key = settings.apiKey?.reveal()
  const redact = (text: string): string => (key === undefined ? text : text.replaceAll(key, mask(key)))
  let data: string[] = []
  let events = 0
  for await (const { text: line } of readLines(bytes)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    if (data.length === 1 && data[0] === '[DONE]') return
    if (line !== '' || data.length === 0) continue
    events += 1
    const { pieces, done } = readStep(data.join('\n'), `Event ${events}`, redact)
    yield* pieces
    if (done) return
    data = []
  }
  if (data.length > 0) throw new AssistantError('malformed', 'The response ended in the middle of an event.')
}
