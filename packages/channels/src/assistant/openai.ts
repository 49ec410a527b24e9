import type { TextStreamPart, ToolSet } from 'ai'
import type { Log } from '../platform-io.ts'
import { mask } from '../secret.ts'
import {
  AssistantError,
  type AssistantPiece,
  type AssistantTurn,
  type TurnFile,
  type TurnMessage,
} from './assistant.ts'
import { type Endpoint, mediaType, request, responseBytes } from './request.ts'
import type { OpenAiSettings } from './settings.ts'
import type { Watch } from './watch.ts'
import { sentence } from './wire-answer.ts'
import { messagesToAnswer, readContents, sizeText } from './wire-turn.ts'

const IMAGE_LIMITS = { eachBytes: 5 * 1024 * 1024, totalBytes: 15 * 1024 * 1024 }
/** A token costs some 300 bytes of stream, and a model may think at length before it answers. */
const STREAM_BYTES = { totalBytes: 64 * 1024 * 1024, lineBytes: 1024 * 1024 }

/**
 * Streams an answer from an OpenAI-compatible endpoint. An endpoint that refuses a request with images is asked once
 * more without them: not every model can see.
 */
export async function* askOpenAi(
  settings: OpenAiSettings,
  endpoint: Endpoint,
  log: Log,
  turn: AssistantTurn,
  watch: Watch,
): AsyncGenerator<AssistantPiece> {
  const images = await imagesOf(turn, watch.signal)
  let status = 0
  const ask = (shown: ReadonlyMap<TurnFile, PromptImage>): AsyncGenerator<AssistantPiece> =>
    stream(settings, endpoint, promptFor(turn, shown), watch, (answered) => (status = answered))
  try {
    yield* ask(images)
  } catch (error) {
    if (images.size === 0 || ![400, 415, 422].includes(status)) throw error
    log.warn('The model refused a message with images; asking again without them.', { turn: turn.id, status })
    yield* ask(new Map())
  }
}

async function imagesOf(turn: AssistantTurn, signal: AbortSignal): Promise<ReadonlyMap<TurnFile, PromptImage>> {
  const files = messagesToAnswer(turn).flatMap((message) => message.files)
  const images = new Map<TurnFile, PromptImage>()
  const candidates = files.filter(({ kind, mime }) => kind === 'image' || mime.startsWith('image/'))
  for (const [file, bytes] of await readContents(candidates, IMAGE_LIMITS, signal)) {
    const mime = imageMime(bytes)
    if (mime !== null) images.set(file, { bytes, mime })
  }
  return images
}

async function* stream(
  settings: OpenAiSettings,
  endpoint: Endpoint,
  prompt: readonly PromptMessage[],
  watch: Watch,
  onStatus: (status: number) => void,
): AsyncGenerator<AssistantPiece> {
  // The only file that knows these libraries; loaded at the first turn, because they take 0.2 s and some memory.
  const [{ streamText }, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  const provider = createOpenAICompatible({
    name: 'assistant',
    baseURL: settings.baseUrl,
    ...(settings.apiKey === null ? {} : { apiKey: settings.apiKey.reveal() }),
    fetch: guardedFetch(endpoint, watch, onStatus),
  })
  const { stream: parts } = streamText({
    model: provider(settings.model),
    ...(settings.systemPrompt === '' ? {} : { instructions: settings.systemPrompt }),
    messages: prompt.map(({ role, text, images }) =>
      role === 'assistant' || images.length === 0
        ? { role, content: text }
        : {
            role,
            content: [
              { type: 'text' as const, text },
              ...images.map(({ bytes, mime }) => ({ type: 'file' as const, data: bytes, mediaType: mime })),
            ],
          },
    ),
    maxRetries: 0, // the core retries, and knows what was already shown
    abortSignal: watch.signal,
    onError: () => {}, // the error is a part of the stream, too; without this it is also printed
  })
  try {
    for await (const part of parts) {
      watch.signal.throwIfAborted()
      if (part.type === 'error') throw failure(part.error, settings)
      const text = textOfPart(part)
      if (text !== null) yield { type: 'text', text }
    }
  } catch (error) {
    watch.signal.throwIfAborted()
    throw failure(error, settings)
  }
  watch.signal.throwIfAborted()
}

function textOfPart(part: TextStreamPart<ToolSet>): string | null {
  if (part.type === 'text-delta') return part.text
  if (part.type !== 'finish') return null
  if (part.finishReason === 'content-filter')
    throw new AssistantError('refused', 'The model refused to answer (content filter).')
  return part.finishReason === 'length' ? '\n\n_(The model reached its output limit here.)_' : null
}

/** What the library is given as `fetch`: statuses are judged, and bodies checked, before it sees them. */
function guardedFetch(endpoint: Endpoint, watch: Watch, onStatus: (status: number) => void): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const response = await request(endpoint, url, { ...init }, watch, onStatus)
    const type = mediaType(response)
    if (type !== 'text/event-stream')
      throw new AssistantError('malformed', 'The endpoint did not answer with an event stream; can this model stream?')
    const body = ReadableStream.from(responseBytes(response, STREAM_BYTES, watch))
    return new Response(body, { status: response.status, headers: { 'content-type': type } })
  }
}

/**
 * Our own error, however deep the library wrapped it; or what the endpoint put into the stream; never the library's
 * words.
 */
function failure(error: unknown, { apiKey }: OpenAiSettings): AssistantError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof AssistantError) return at
  const said = error instanceof Error ? membersOf(error).get('data') : error
  if (typeof said !== 'object' && typeof said !== 'string')
    return new AssistantError(
      'malformed',
      `The answer of the model cannot be read${error instanceof Error ? ` (${error.name})` : ''}.`,
    )
  const members = typeof said === 'string' ? new Map([['message', said]]) : membersOf(said)
  const text = (name: string): string => {
    const value = members.get(name)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const message = text('message')
  const words = sentence(apiKey === null ? message : message.replaceAll(apiKey.reveal(), mask(apiKey.reveal())))
  const kind = `${text('code')} ${text('type')}`
  if (/content_filter|content_policy/.test(kind)) return new AssistantError('refused', `The model refused: ${words}`)
  if (/429|rate_limit|overloaded/.test(kind)) return new AssistantError('busy', `The endpoint asked to wait: ${words}`)
  return new AssistantError('unreachable', `The endpoint failed while it answered: ${words}`)
}

const membersOf = (value: object | null): ReadonlyMap<string, unknown> => new Map(Object.entries(value ?? {}))

/** A message as a chat model is given it. */
interface PromptMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly images: readonly PromptImage[]
}
interface PromptImage {
  readonly bytes: Uint8Array
  readonly mime: string
}

/**
 * A turn for a chat model: names before texts in a group, quotes and files described in the text. Neighbours with the
 * same role become one message, because many models insist on turns; empty ones are left out.
 * @param images The images that are handed over as such.
 */
function promptFor(turn: AssistantTurn, images: ReadonlyMap<TurnFile, PromptImage>): readonly PromptMessage[] {
  const prompt: PromptMessage[] = []
  for (const message of turn.messages) {
    const next = toPrompt(message, turn.chat.kind === 'group', images)
    if (next.text === '') continue
    const last = prompt.at(-1)
    if (last?.role !== next.role) prompt.push(next)
    else
      prompt.splice(-1, 1, { ...last, text: `${last.text}\n\n${next.text}`, images: [...last.images, ...next.images] })
  }
  return prompt
}

function toPrompt(message: TurnMessage, group: boolean, images: ReadonlyMap<TurnFile, PromptImage>): PromptMessage {
  const { role, text, quoted, files, from } = message
  const lines = []
  if (quoted !== undefined && quoted !== '') lines.push(quoted.replace(/^/gm, '> '))
  if (role === 'user')
    for (const file of files)
      lines.push(`[${describe(file)}; ${images.has(file) ? 'attached' : 'its content is not available'}]`)
  if (text.trim() !== '') lines.push(text)
  const name = group && from !== undefined ? oneLine(from.name ?? from.id) : ''
  const body = lines.join('\n')
  return {
    role,
    text: name === '' || body === '' ? body : `${name}: ${body}`,
    images: files.flatMap((file) => images.get(file) ?? []),
  }
}

const describe = ({ kind, name, mime, sizeBytes, problem }: TurnFile): string =>
  `${kind} "${oneLine(name)}", ${oneLine(mime)}, ${sizeText(sizeBytes)}${problem === undefined ? '' : `, ${oneLine(problem)}`}`

/** What people choose (names) cannot pretend to be another line of the conversation. */
const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}"[\]]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** The kind of an image by its first bytes, for the kinds that chat models take; what the sender declared may be wrong. */
function imageMime(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}
