import type { Api, RawApi } from 'grammy'
import type { PlatformIo } from '../../platform-io.ts'
import {
  type CallLimits,
  failed,
  toForeignFailure,
  ForeignAnswer,
  createRedactor,
  readJson,
  runCall,
} from '../wire/call.ts'
import { download, type Download } from '../wire/download.ts'
import { integer, isObject, type Json, object, text } from '../wire/json.ts'
import type { Answer, TelegramFailure } from './outcome.ts'

/** All requests of one bot. No method throws, and no text it returns contains the token. */
export interface TelegramClient {
  /** One call, e.g. `(api, signal) => api.getMe(signal)`. */
  call(ask: (api: RawApi, signal: GrammySignal) => Promise<unknown>, limits: CallLimits): Promise<Answer>
  /** One call with a file in it. */
  upload(method: 'sendPhoto' | 'sendDocument' | 'sendVoice', form: FormData, limits: CallLimits): Promise<Answer>
  /** @param path Relative path as `getFile` gave it, each segment checked by the caller. */
  download(path: string, maxBytes: number, limits: CallLimits): Promise<Download>
}

type GrammySignal = NonNullable<Parameters<RawApi['getMe']>[0]>

/** Largest answer of the API that is read, in bytes: 100 updates are far below. */
const ANSWER_BYTES = 32 * 1024 * 1024

/** @param root Base URL without a trailing slash. */
export function openClient(token: string, root: string, io: PlatformIo): TelegramClient {
  const hide = createRedactor(token, token.slice(token.indexOf(':') + 1))
  const guarded = (limits: CallLimits, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> =>
    runCall(io, limits, work, (error) => readFailure(error, hide))
  let api: Promise<Api> | undefined
  const fetchForGrammy = async (url: string, init: RequestInit & { signal: GrammySignal }): Promise<unknown> => {
    const body = await fetchAnswer(io, url, { ...init, signal: nativeSignal(init.signal) })
    return { json: () => body }
  }
  const open = async (): Promise<Api> => {
    const grammy = await import('grammy') // only a service that uses Telegram pays for it
    return new grammy.Api(token, { apiRoot: root, fetch: fetchForGrammy })
  }
  return {
    call: (ask, limits) =>
      guarded(limits, async (signal) => {
        api ??= open()
        const { raw } = await api
        const result = await ask(raw, signal as unknown as GrammySignal).catch(rethrowInner) // grammY's own type of the same
        return { ok: true, result }
      }),
    upload: (method, form, limits) =>
      guarded(limits, async (signal) => {
        const answer = await fetchAnswer(io, `${root}/bot${token}/${method}`, { method: 'POST', body: form, signal })
        if (answer['ok'] === true) return { ok: true, result: answer['result'] }
        return failed(readFailure(answer, hide) ?? NO_REASON)
      }),
    download(path, maxBytes, limits) {
      const url = `${root}/file/bot${token}/${path.split('/').map(encodeURIComponent).join('/')}`
      return download(io, url, maxBytes, limits)
    },
  }
}

async function fetchAnswer(io: PlatformIo, url: string, init: RequestInit): Promise<Json> {
  // A redirect would carry the token, which is part of the URL, and the message to another host.
  const response = await io.fetch(url, { ...init, redirect: 'manual' })
  const answer = await readJson(response, ANSWER_BYTES)
  if (isObject(answer) && typeof answer['ok'] === 'boolean') return answer
  throw new ForeignAnswer(toForeignFailure(response, 'Telegram'))
}

/** grammY's `HttpError` keeps what was thrown in `error`. */
function rethrowInner(error: unknown): never {
  throw object(error)?.['error'] ?? error
}

/** grammY brings its own kind of signal, which the global fetch does not take. */
function nativeSignal(signal: GrammySignal): AbortSignal {
  const native = new AbortController()
  if (signal.aborted) native.abort()
  else signal.addEventListener('abort', () => native.abort())
  return native.signal
}

/** A response without a description is inconclusive. */
const NO_REASON: TelegramFailure = { kind: 'unanswered', detail: 'the response gives no reason' }

/** The refusal in an answer, also as grammY throws it: only known fields are taken. */
function readFailure(answer: unknown, hide: (words: string) => string): TelegramFailure | undefined {
  const description = text(object(answer)?.['description'])
  const status = integer(object(answer)?.['error_code'])
  if (description === undefined || status === undefined) return undefined
  const parameters = object(object(answer)?.['parameters'])
  const seconds = integer(parameters?.['retry_after'])
  const migratedTo = integer(parameters?.['migrate_to_chat_id'])
  return {
    kind: 'answer',
    status,
    description: hide(description),
    ...(seconds === undefined ? {} : { retryAfterMs: Math.min(Math.max(seconds, 0), 86_400) * 1000 }),
    ...(migratedTo === undefined ? {} : { migratedTo: String(migratedTo) }),
  }
}

/** A bot's profile, from `getMe`. */
export interface BotProfile {
  readonly id: number
  /** Without `@`. */
  readonly username: string
  /** Whether privacy mode is off, so that the bot sees every message of its groups. */
  readonly readsGroups: boolean
}

/** `null` when this is not the description of a bot. @see Bot API, `getMe` and `User` */
export function readBot(result: unknown): BotProfile | null {
  const user = object(result)
  const id = integer(user?.['id'])
  const username = text(user?.['username'])
  if (user?.['is_bot'] !== true || id === undefined || username === undefined || username === '') return null
  return { id, username, readsGroups: user['can_read_all_group_messages'] === true }
}
