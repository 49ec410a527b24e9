import type { IncomingMessage, ServerResponse } from 'node:http'
import { BODY_LIMIT, readBytes, writeJson } from '../kit/http.ts'
import { applyFaultAfter, applyFaultBefore } from '../kit/transport.ts'
import { type Answer, apiError, toText } from './answer.ts'
import { type FeishuFault, SEND } from './faults.ts'
import type { RateLimits } from './rate-limits.ts'
import { oauthError } from './registration.ts'
import { type Call, findRoute, type Services, readCall, type Route } from './routes.ts'

/** Handles a call of the open platform. */
export async function answerCall(
  parts: Services,
  rates: RateLimits,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const raw = await readBytes(request)
  const found = findRoute(request.method ?? '', url.pathname)
  if (raw === null || found === null) {
    response.writeHead(raw === null ? 413 : 404, { 'content-type': 'text/plain', connection: 'close' })
    return void response.end(raw === null ? `larger than ${BODY_LIMIT} bytes` : '404 page not found')
  }
  const { route, ids } = found
  const call = readCall(raw, request.headers['content-type'] ?? '', url.searchParams, ids)
  const method = findMethodName(route, call)
  const { state } = parts
  const recordStatus = state.chatStore.recordRequest({
    method,
    target: `${request.method} ${request.url}`,
    headers: request.headers,
    body: toRecordedBody(call),
  })
  const names = /^im\.v1\.messages\.(?:create|reply)$/.test(method) ? [method, SEND] : [method]
  const fault = takeFault(parts, route, names, findChatId(parts, route, call))
  if (applyFaultBefore(fault, response)) return recordStatus(response.statusCode === 200 ? 0 : response.statusCode)
  const { authorization } = request.headers
  const answer =
    toFaultAnswer(parts, fault, authorization) ?? performCall(parts, rates, route, method, call, authorization)
  if (await applyFaultAfter(fault, response, state.clock)) return
  recordStatus(answer.status)
  write(response, { ...answer, headers: { 'x-tt-logid': state.newId('log'), ...answer.headers } })
}

function performCall(
  parts: Services,
  rates: RateLimits,
  route: Route,
  method: string,
  call: Call,
  authorization: string | undefined,
): Answer {
  if (route.scopes) {
    const refused = parts.tokens.check(authorization)
    if (refused) return refused
    if (!rates.takeCall(method)) return rateLimited(1)
    if (route.scopes.length > 0 && !route.scopes.some((scope) => parts.state.isGranted(scope))) {
      return missingScope(parts.state.bot.appId, route.scopes)
    }
  }
  return route.run(parts, call)
}

/** Returns the response that a fault replaces the call's with, or `null`. */
function toFaultAnswer(
  { tokens }: Services,
  fault: FeishuFault | null,
  authorization: string | undefined,
): Answer | null {
  switch (fault?.kind) {
    case 'error': {
      const answer = apiError(fault.code, fault.message, fault.withData === true ? { data: {} } : {})
      return fault.status === undefined ? answer : { ...answer, status: fault.status }
    }
    case 'rate_limited':
      return rateLimited(fault.resetSeconds)
    case 'token_expired':
      tokens.expire(authorization)
      return apiError(99991663)
    case 'oauth_error':
      return oauthError(fault.error)
    default:
      return null
  }
}

function takeFault(
  { state }: Services,
  route: Route,
  names: readonly string[],
  chatId: string | undefined,
): FeishuFault | null {
  for (const name of names) {
    const fault = state.faults.take(name, chatId, (one) => isApplicable(route, one))
    if (fault) return fault
  }
  return null
}

/** Whether a fault can apply to a route. */
function isApplicable(route: Route, fault: FeishuFault): boolean {
  if (fault.kind === 'token_expired') return route.scopes !== undefined
  return fault.kind !== 'oauth_error' || route.method === 'registration'
}

function rateLimited(seconds: number): Answer {
  const headers = { 'x-ogw-ratelimit-limit': '50', 'x-ogw-ratelimit-reset': String(seconds) }
  return { ...apiError(99991400), headers }
}

function missingScope(appId: string, scopes: readonly string[]): Answer {
  const link = `https://open.feishu.cn/app/${appId}/auth?q=${scopes.join(',')}&op_from=openapi&token_type=tenant`
  const text = `Access denied. One of the following scopes is required: [${scopes.join(', ')}]. ${link}`
  const violations = scopes.map((subject) => ({ type: 'action_scope_required', subject }))
  return apiError(99991672, text, { error: { permission_violations: violations, log_id: '' } })
}

function findMethodName(route: Route, { raw }: Call): string {
  if (route.method !== 'registration') return route.method
  const action = new URLSearchParams(raw.toString('utf8')).get('action') ?? ''
  return /^\w{1,20}$/.test(action) ? `registration.${action}` : 'registration'
}

/** Returns the chat id that a call refers to, if any. */
function findChatId({ state }: Services, { method }: Route, { ids, body }: Call): string | undefined {
  if (method !== 'im.v1.messages.create') return state.messages.get(ids[0] ?? '')?.chatId
  const receiver = toText(body['receive_id'])
  return receiver.startsWith('ou_') ? state.privateChatId(receiver) : receiver
}

function toRecordedBody({ form, raw }: Call): string {
  if (form === null) return raw.toString('utf8')
  const fields = form.map(({ name, fileName, bytes }) => [
    name,
    fileName === null ? Buffer.from(bytes).toString('utf8') : { fileName, size: bytes.length },
  ])
  return JSON.stringify(Object.fromEntries(fields))
}

function write(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  if (body instanceof Uint8Array) {
    response.writeHead(status, { 'content-length': body.length, ...headers }).end(body)
    return
  }
  writeJson(response, status, body, { 'content-type': 'application/json; charset=utf-8', ...headers })
}
