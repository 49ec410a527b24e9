import type { Client } from '../accounts/audit/audit.ts'
import type { Caller } from '../accounts/caller.ts'
import { type AppContext, type AppOptions, getRemoteAddress } from './app-options.ts'
import { GatewayError } from './errors.ts'
import { eventStream } from './event-stream.ts'
import { failureAnswer } from './failure.ts'
import { type GatewayAnswer, type GatewayRoute, routeQuery } from './gateway-route.ts'
import { parseInput, parseQueryString, readJson } from './request-body.ts'
import type { Principal } from '@gatepost/channels'

/** An authenticated API call. */
interface Call {
  readonly route: GatewayRoute
  readonly caller: Caller
  readonly client: Client
}

/** Handles an API call: authenticates, checks the scope, runs the route, and records changes in the audit log. */
export async function answerRoute(c: AppContext, route: GatewayRoute, options: AppOptions): Promise<Response> {
  c.set('routeId', route.id)
  const caller = await options.people.findCaller(c.req.raw)
  if (caller === null) throw createUnauthorizedError(c.req.header('authorization') !== undefined)
  const client = options.clientOf(c.req.raw, getRemoteAddress(c))
  const call: Call = { route, caller, client }
  const end = options.limits.startRequest(caller)
  try {
    return await (route.method === 'GET' ? readAnswer(c, call, options) : changeAnswer(c, call, options))
  } finally {
    end()
  }
}

async function readAnswer(c: AppContext, call: Call, options: AppOptions): Promise<Response> {
  const { route } = call
  checkScope(call)
  const ready = await prepare(c, call, options)
  await noteForeignRead(c, call, options, ready)
  if (route.stream === true) return streamAnswer(c, call, options, ready)
  const answer = await handle(c, call, options, ready)
  return answerResponse(route, answer)
}

async function changeAnswer(c: AppContext, call: Call, options: AppOptions): Promise<Response> {
  const { route, caller } = call
  let accountId = caller.principal.accountId
  try {
    if (caller.isByCookie) options.people.checkCsrf(c.req.raw)
    checkScope(call)
    const ready = await prepare(c, call, options)
    accountId = ready.principal.accountId
    const isElsewhere = accountId !== caller.principal.accountId && route.changesNothing !== true
    const changesAccess = route.needsRecentSignIn === true || isElsewhere
    if (changesAccess) await options.people.requireRecentSignIn(c.req.raw, caller, getRemoteAddress(c))
    const done = { accountId, outcome: 'ok', code: null } as const
    if (route.stream === true) {
      const stream = await streamAnswer(c, call, options, ready)
      await note(c, call, options, { ...done, target: null })
      return stream
    }
    const answer = await handle(c, call, options, ready)
    const response = answerResponse(route, answer)
    await note(c, call, options, { ...done, target: answer.target ?? null })
    if (changesAccess)
      await options.notifyOfAccess({ action: route.id, caller, accountId, body: ready.body, client: call.client })
    return response
  } catch (error) {
    const { status, body } = failureAnswer(error, c.get('requestId'))
    const outcome = status < 500 ? 'refused' : 'failed'
    await note(c, call, options, { accountId, target: null, outcome, code: body.code })
    throw error
  }
}

function checkScope({ route, caller }: Call): void {
  if (caller.scopes.has(route.scope)) return
  throw new GatewayError(caller.withheld.has(route.scope) ? 'second_factor_required' : 'scope_missing')
}

/** Records that staff read something in another account. */
async function noteForeignRead(
  c: AppContext,
  { route, caller, client }: Call,
  options: AppOptions,
  { principal: { accountId } }: Prepared,
): Promise<void> {
  if (accountId === caller.principal.accountId) return
  await options.audit.recordRepeated({
    ...client,
    accountId,
    outcome: 'ok',
    code: null,
    actor: caller.actor,
    actorKind: caller.kind,
    action: route.id,
    target: findNamedTarget(c),
  })
}

/** Returns the path's parameters, which name the object of a call. */
const findNamedTarget = (c: AppContext): string | null => Object.values(c.req.param()).join(' ') || null

async function note(
  c: AppContext,
  { route, caller, client }: Call,
  options: AppOptions,
  what: {
    readonly accountId: string
    readonly target: string | null
    readonly outcome: 'ok' | 'refused' | 'failed'
    readonly code: string | null
  },
): Promise<void> {
  if (route.changesNothing === true) return
  await options.audit.record({
    ...client,
    ...what,
    actor: caller.actor,
    actorKind: caller.kind,
    action: route.id,
    target: what.target ?? findNamedTarget(c),
  })
}

/** Parses the query and the body of a call. */
interface Prepared {
  readonly principal: Principal
  readonly query: unknown
  readonly body: unknown
}

async function prepare(c: AppContext, { route, caller }: Call, options: AppOptions): Promise<Prepared> {
  const body = route.body === undefined ? undefined : await readBody(c.req.raw, route.body)
  const query = parseInput(routeQuery(route), parseQueryString(c.req.url), 'invalid_query')
  const named = route.accountInPath === true ? c.req.param('id') : accountIn(route, query)
  return { principal: await options.people.resolveAccount(caller, named), query, body }
}

function accountIn(route: GatewayRoute, query: unknown): string | undefined {
  const isNamed = route.perAccount === true && typeof query === 'object' && query !== null && 'account' in query
  return isNamed && typeof query.account === 'string' ? query.account : undefined
}

async function readBody(request: Request, body: NonNullable<GatewayRoute['body']>): Promise<unknown> {
  const value = await readJson(request, body.optional === true)
  return value === undefined ? undefined : parseInput(body.schema, value, 'invalid_body')
}

function handle(c: AppContext, call: Call, options: AppOptions, ready: Prepared): Promise<GatewayAnswer> {
  const { route, caller, client } = call
  const gone = c.req.raw.signal
  const signal = route.waits === true ? AbortSignal.any([gone, options.stopping]) : gone
  return route.handle({ ...ready, caller, client, params: c.req.param(), signal })
}

function answerResponse(route: GatewayRoute, answer: GatewayAnswer): Response {
  if ('events' in answer) throw new Error(`${route.id} is not declared as a stream`)
  return jsonResponse(answer.body, answer.status, answer.headers)
}

/** Starts a stream. Errors of the route are returned before the stream starts. */
async function streamAnswer(c: AppContext, call: Call, options: AppOptions, ready: Prepared): Promise<Response> {
  const { route, caller, client } = call
  if (options.stopping.aborted) throw new GatewayError('stopping')
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
  if (c.req.method === 'HEAD') return new Response(null, { headers })
  const { clock, log, stopping } = options
  const ended = new AbortController()
  const end = options.limits.startStream(caller)
  const answer = await route
    .handle({ ...ready, caller, client, params: c.req.param(), signal: ended.signal })
    .catch((error: unknown) => {
      end()
      throw error
    })
  ended.signal.addEventListener('abort', end, { once: true })
  if (!('events' in answer)) throw new Error(`${route.id} is declared as a stream but returned no events`)
  const events = async (signal: AbortSignal): Promise<AsyncIterable<{ readonly type: string }>> => {
    signal.addEventListener('abort', () => ended.abort(), { once: true })
    if (signal.aborted) ended.abort()
    return answer.events
  }
  const isStillAllowed = (): Promise<boolean> => mayStill(c.req.raw, call, options, ready)
  const drop = (): void => void c.env.outgoing.destroy()
  return new Response(eventStream({ events, isStillAllowed, stopping, clock, log, drop }), { headers })
}

/** Whether the caller of a stream is still authorized. */
async function mayStill(request: Request, { route }: Call, options: AppOptions, ready: Prepared): Promise<boolean> {
  const caller = await options.people.findCaller(request)
  if (caller === null || !caller.scopes.has(route.scope)) return false
  if (caller.principal.accountId === ready.principal.accountId) return true
  return caller.isStaff && caller.scopes.has('admin')
}

/** Creates a JSON response. */
export function jsonResponse(body: unknown, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  })
}

const createUnauthorizedError = (given: boolean): GatewayError =>
  new GatewayError('unauthorized', {
    headers: { 'www-authenticate': `Bearer realm="gatepost"${given ? ', error="invalid_token"' : ''}` },
  })
