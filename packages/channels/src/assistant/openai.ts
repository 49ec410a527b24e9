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
import { toSingleLine } from './wire-answer.ts'
import { messagesToAnswer, readContents, sizeText } from './wire-turn.ts'

const IMAGE_LIMITS = { eachBytes: 5 * 1024 * 1024, totalBytes: 15 * 1024 * 1024 }
/** A token takes some 300 bytes of stream, and a model may reason at length before it replies. */
const STREAM_BYTES = { totalBytes: 64 * 1024 * 1024, lineBytes: 1024 * 1024 }

/**
 * Streams a reply from an OpenAI-compatible endpoint. When the endpoint refuses a request with images, it is retried once
 * without them: not every model accepts images.
 */
export async function* streamOpenAi(
  settings: OpenAiSettings,
  endpoint: Endpoint,
  log: Log,
  turn: AssistantTurn,
  watch: Watch,
): AsyncGenerator<AssistantPiece> {
  const images = await loadImages(turn, watch.signal)
  let status = 0
  const ask = (shown: ReadonlyMap<TurnFile, PromptImage>): AsyncGenerator<AssistantPiece> =>
    stream(settings, endpoint, buildPrompt(turn, shown), watch, (answered) => (status = answered))
  try {
    yield* ask(images)
  } catch (error) {
    if (images.size === 0 || ![400, 415, 422].includes(status)) throw error
    log.warn('The model refused a message with images; retrying without them', { turn: turn.id, status })
    yield* ask(new Map())
  }
}

async function loadImages(turn: AssistantTurn, signal: AbortSignal): Promise<ReadonlyMap<TurnFile, PromptImage>> {
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
    maxRetries: 0, // the core retries, and knows what has been shown already
    abortSignal: watch.signal,
    onError: () => {}, // the error is also a part of the stream; without this handler it would be printed
  })
  try {
    for await (const part of parts) {
      watch.signal.throwIfAborted()
      if (part.type === 'error') throw toAssistantError(part.error, settings)
      const text = textOfPart(part)
      if (text !== null) yield { type: 'text', text }
    }
  } catch (error) {
    watch.signal.throwIfAborted()
    throw toAssistantError(error, settings)
  }
  watch.signal.throwIfAborted()
}

function textOfPart(part: TextStreamPart<ToolSet>): string | null {
  if (part.type === 'text-delta') return part.text
  if (part.type !== 'finish') return null
  if (part.finishReason === 'content-filter')
    throw new AssistantError('refused', 'The model refused to reply (content filter).')
  return part.finishReason === 'length' ? '\n\n_(The model reached its output limit.)_' : null
}

/** Returns the `fetch` for the library: it checks statuses and bodies before the library sees them. */
function guardedFetch(endpoint: Endpoint, watch: Watch, onStatus: (status: number) => void): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const response = await request(endpoint, url, { ...init }, watch, onStatus)
    const type = mediaType(response)
    if (type !== 'text/event-stream')
      throw new AssistantError(
        'malformed',
        "The endpoint didn't return an event stream. Does this model support streaming?",
      )
    const body = ReadableStream.from(responseBytes(response, STREAM_BYTES, watch))
    return new Response(body, { status: response.status, headers: { 'content-type': type } })
  }
}

/**
 * Returns our own error, however deep the library wrapped it, or one with the message that the endpoint streamed; never
 * the library's message.
 */
function toAssistantError(error: unknown, { apiKey }: OpenAiSettings): AssistantError {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof AssistantError) return at
  const reported = error instanceof Error ? readMembers(error).get('data') : error
  if (typeof reported !== 'object' && typeof reported !== 'string')
    return new AssistantError(
      'malformed',
      `Couldn't read the model's response${error instanceof Error ? ` (${error.name})` : ''}.`,
    )
  const members = typeof reported === 'string' ? new Map([['message', reported]]) : readMembers(reported)
  const text = (name: string): string => {
    const value = members.get(name)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const message = text('message')
  const detail = toSingleLine(apiKey === null ? message : message.replaceAll(apiKey.reveal(), mask(apiKey.reveal())))
  const kind = `${text('code')} ${text('type')}`
  if (/content_filter|content_policy/.test(kind)) return new AssistantError('refused', `The model refused: ${detail}`)
  if (/429|rate_limit|overloaded/.test(kind))
    return new AssistantError('busy', `The endpoint is rate limiting requests: ${detail}`)
  return new AssistantError('unreachable', `The endpoint failed while streaming: ${detail}`)
}

const readMembers = (value: object | null): ReadonlyMap<string, unknown> => new Map(Object.entries(value ?? {}))

/** A message for a chat model. */
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
 * Builds the prompt of a turn: in a group, names precede the texts; quotes and files are described in the text.
 * Consecutive messages of one role are joined, because many models require alternating roles; empty ones are dropped.
 * @param images The images that are attached as such.
 */
function buildPrompt(turn: AssistantTurn, images: ReadonlyMap<TurnFile, PromptImage>): readonly PromptMessage[] {
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

/** Keeps text that users choose, such as names, from posing as another line of the conversation. */
const oneLine = (text: string): string =>
  text
    .replace(/[\s\p{Cc}"[\]]+/gu, ' ')
    .trim()
    .slice(0, 100)

/** Returns the image type from the first bytes, for the types that chat models accept; the declared type may be wrong. */
function imageMime(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif'
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null
}
