import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, parseJson, readBytes, splitForm, writeJson, type FormPart } from '../kit/http.ts'
import { applyFaultAfter, applyFaultBefore } from '../kit/transport.ts'
import {
  networkBlocked,
  DiscordFailure,
  invalidForm,
  notFound,
  rateLimited,
  tooLarge,
  unauthorized,
} from './failure.ts'
import { toFailure, isApplicable } from './faults.ts'
import { ACTION_METHODS, BOT_METHODS } from './rest-bot.ts'
import type { RestMethod } from './rest-call.ts'
import { MESSAGE_METHODS } from './rest-messages.ts'
import { DISCORD_BOT, type DiscordState } from './state.ts'

const METHODS: readonly RestMethod[] = [...BOT_METHODS, ...MESSAGE_METHODS, ...ACTION_METHODS]
/** Names of all REST methods. */
export const CALLS: readonly string[] = METHODS.map(({ name }) => name)
const ROOT = '/api/v10'

interface Form {
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly FormPart[]
  /** The body as recorded. */
  readonly shown: string
}

/** Handles requests to the REST API and to attachments. */
export async function handleRequest(
  state: DiscordState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  if (url.pathname.startsWith('/attachments/')) return answerAttachment(state, url, request, response)
  const found = findMethod(request.method ?? '', url.pathname)
  const bytes = await readBytes(request)
  const form = bytes && readForm(bytes, request.headers['content-type'] ?? '')
  const target = `${request.method} ${request.url}`
  const method = found?.method.name ?? 'unknown'
  const recordStatus = state.chatStore.recordRequest({
    method,
    target,
    headers: request.headers,
    body: form?.shown ?? '',
  })
  response.once('finish', () => recordStatus(response.statusCode))
  const channel = found?.path['channel']
  const rate = channel === undefined || !found ? null : state.rates.use(found.method.name, channel)
  const headers = rate?.headers ?? {}
  try {
    checkCaller(state, request)
    if (!found) throw notFound()
    if (bytes === null) throw tooLarge()
    if (form === null) throw invalidForm('_', 'FORM_INVALID', 'The form cannot be read.')
    const fault = state.faults.take(method, channel, isApplicable(method))
    if (applyFaultBefore(fault, response)) return
    const failure = toFailure(fault)
    if (failure) throw failure
    if (typeof rate?.retryAfterSeconds === 'number') throw rateLimited(rate.retryAfterSeconds, 'user')
    const { body, files } = form
    const result = found.method.run({ state, path: found.path, query: url.searchParams, body, files })
    if (await applyFaultAfter(fault, response, state.clock)) return
    if (result === null) response.writeHead(204, headers).end()
    else writeJson(response, result.status ?? 200, result.value, headers)
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error
    if (!response.destroyed) writeJson(response, error.status, error.body, { ...headers, ...error.headers })
  }
}

/** Checks user agent and token. @throws {DiscordFailure} 40333 or 401 */
function checkCaller({ revoked }: DiscordState, { headers }: IncomingMessage): void {
  if (!/^DiscordBot \(.+\)/.test(headers['user-agent'] ?? '')) throw networkBlocked()
  if (revoked || headers.authorization !== `Bot ${DISCORD_BOT.token}`) throw unauthorized()
}

interface Found {
  readonly method: RestMethod
  readonly path: Readonly<Record<string, string>>
}

function findMethod(by: string, pathname: string): Found | null {
  if (!pathname.startsWith(`${ROOT}/`)) return null
  const parts = pathname.slice(ROOT.length).split('/').map(decodePart)
  for (const method of METHODS) {
    const names = method.path.split('/')
    const isMatch =
      method.by === by &&
      names.length === parts.length &&
      names.every((name, at) => name.startsWith(':') || name === parts[at])
    if (!isMatch) continue
    const path = Object.fromEntries(names.map((name, at) => [name.slice(1), name.startsWith(':') ? parts[at] : '']))
    return { method, path: path as Record<string, string> } // as many parts as names
  }
  return null
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Returns the form, or `null` when it is malformed. */
function readForm(bytes: Buffer, contentType: string): Form | null {
  if (bytes.length === 0) return { body: {}, files: [], shown: '' }
  if (!contentType.startsWith('multipart/form-data')) return parseJsonForm(bytes.toString('utf8'), [])
  const parts = splitForm(bytes, contentType)
  if (parts === null) return null
  const payload = parts.find(({ name }) => name === 'payload_json')
  const files = parts.filter(({ fileName }) => fileName !== null)
  return parseJsonForm(payload ? Buffer.from(payload.bytes).toString('utf8') : '{}', files)
}

function parseJsonForm(json: string, files: readonly FormPart[]): Form | null {
  const body = parseJson(json)
  if (!isRecord(body)) return null
  const names = files.map(({ name, fileName, bytes }) => ({ name, fileName, size: bytes.length }))
  return { body, files, shown: files.length === 0 ? json : JSON.stringify({ payload_json: body, files: names }) }
}

async function answerAttachment(
  state: DiscordState,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = 'attachments.get'
  const target = `${request.method} ${request.url}`
  const recordStatus = state.chatStore.recordRequest({ method, target, headers: request.headers, body: '' })
  response.once('finish', () => recordStatus(response.statusCode))
  const fault = state.faults.take(method, url.pathname.split('/')[2], isApplicable(method))
  if (applyFaultBefore(fault, response)) return
  const file = fault?.kind === 'attachment_expired' ? null : state.attachments.open(url, state.clock.now())
  if (await applyFaultAfter(fault, response, state.clock)) return
  if (file === null) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('This content is no longer available.')
    return
  }
  const type = file.mimeType === '' ? 'application/octet-stream' : file.mimeType
  response.writeHead(200, { 'content-type': type, 'content-length': file.bytes.length }).end(file.bytes)
}
