import type { PlatformIo } from '../../platform-io.ts'
import {
  type CallLimits,
  failed,
  toForeignFailure,
  ForeignAnswer,
  createRedactor,
  readUpTo,
  runCall,
} from '../wire/call.ts'
import { download, type Download } from '../wire/download.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { parseTrustedUrl } from '../wire/urls.ts'
import type { Answer, DiscordFailure } from './outcome.ts'
import { openRest, type Rest, type RestCall } from './sdk.ts'

/** All HTTP requests of one bot. No method throws, and no text it returns contains the token. */
export interface DiscordClient {
  readonly apiUrl: string
  call(call: RestCall, limits: CallLimits): Promise<Answer>
  /** Without the token. @param url Checked by the caller. */
  download(url: string, maxBytes: number, limits: CallLimits): Promise<Download>
}

/** Largest answer that is read, in bytes: 100 messages with embeds are far below. */
const ANSWER_BYTES = 16 * 1024 * 1024

/** Creates a client. Makes no request yet. @param apiUrl Without a version and a trailing slash. */
export function openClient(token: string, apiUrl: string, io: PlatformIo): DiscordClient {
  const hide = createRedactor(token, token.slice(token.indexOf('.') + 1))
  let rest: Promise<Rest> | undefined
  /** Once refused the token stays so, and asking too often blocks the whole address. */
  let rejection: DiscordFailure | null = null

  function read(opened: Rest, error: unknown): DiscordFailure | undefined {
    const failure = opened.readFailure(error)
    if (failure?.kind !== 'answer') return failure ?? undefined
    const told = { ...failure, description: hide(failure.description) }
    if (told.status === 401) rejection = told
    return told
  }

  return {
    apiUrl,
    async call(call, limits): Promise<Answer> {
      if (rejection !== null) return failed(rejection)
      rest ??= openRest(token, apiUrl, (url, init) => perform(io, url, init))
      const opened = await rest
      const work = async (signal: AbortSignal): Promise<Answer> => ({
        ok: true,
        result: await opened.call(call, signal),
      })
      return runCall(io, limits, work, (error) => read(opened, error))
    },
    download: (url, maxBytes, limits) => download(io, url, maxBytes, limits),
  }
}

/** Hands the library only answers that it can read. */
async function perform(io: PlatformIo, url: string, init: RequestInit): Promise<Response> {
  const { method, headers, body, signal } = init
  const response = await io.fetch(url, {
    redirect: 'manual', // it would carry the token elsewhere
    ...(method === undefined ? {} : { method }),
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined || body === null ? {} : { body }),
  })
  const { status } = response
  const bytes = await readUpTo(response, ANSWER_BYTES)
  if (bytes === null || status < 200 || (status >= 300 && status < 400))
    throw new ForeignAnswer(toForeignFailure(response, 'Discord'))
  const passed = { status, headers: headersFor(response) }
  // says that it is JSON, and is empty
  if (status === 204 || bytes.length === 0)
    return new Response(null, { ...passed, headers: withoutType(passed.headers) })
  const isJson = passed.headers.get('content-type')?.startsWith('application/json') === true
  const value = isJson ? parseJson(new TextDecoder().decode(bytes)) : undefined
  if (status === 429) return new Response(isObject(value) ? bytes : null, passed)
  if (!isObject(value) && !Array.isArray(value)) throw new ForeignAnswer(toForeignFailure(response, 'Discord'))
  return new Response(bytes, passed)
}

/** Those that the library reads. */
const READ_HEADERS = /^(?:content-type|retry-after|x-ratelimit-.*)$/i

const headersFor = (response: Response): Headers =>
  new Headers([...response.headers].filter(([name]) => READ_HEADERS.test(name)))

function withoutType(headers: Headers): Headers {
  headers.delete('content-type')
  return headers
}

/** Domains of Discord's own URLs. */
const DOMAINS = ['discord.com', 'discord.gg', 'discordapp.com', 'discordapp.net', 'discord.media']

/**
 * An address that the server supplied, in the form in which it may be opened; `null` when it may not.
 * @param apiUrl The configured REST interface.
 */
export const parseDiscordUrl = (url: string, kind: 'web' | 'socket', apiUrl: string): string | null =>
  parseTrustedUrl(url, kind, { configured: apiUrl, domains: DOMAINS })?.href ?? null

/** As `trustedUrl`, without a query: the library appends its own to the text, and what that spoils ends the process. */
export function parseGatewayUrl(url: string, apiUrl: string): string | null {
  const trusted = parseDiscordUrl(url, 'socket', apiUrl)
  return trusted?.replace(/[?#].*$/, '') ?? null
}
