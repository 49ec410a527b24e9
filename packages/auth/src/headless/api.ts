import type { Core } from '../core.ts'
import { AuthError, ImmediateResponse, InvalidInput } from '../errors.ts'
import { bareError } from '../kernel/http/bare-response.ts'
import { CSRF_FIELD, CSRF_HEADER, checkCsrf } from '../kernel/http/csrf.ts'
import { failureOf } from '../kernel/http/failure.ts'
import { readForm } from '../kernel/http/form-body.ts'
import { type Arrived, openRequest, type PageRequest } from '../kernel/http/page-request.ts'
import { errorResponse, finishResponse } from '../kernel/http/page-response.ts'
import { isConflict, SESSION_ATTEMPTS } from '../kernel/http/session-attempts.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import { wayToHttps } from '../kernel/http/way-in.ts'
import { takeForVisitor } from '../kernel/limits/take.ts'
import { type ApiAddress, apiAddress } from './api-address.ts'
import { type Envelope, envelopeOf, sendEnvelope, type SignIn, signInOf } from './envelope.ts'
import type { ApiAnswer, ApiCall, ApiMethod, ApiResource, Operation } from './endpoint.ts'
import { resourcesOf } from './endpoints/all.ts'
import { type ApiBody, readInput, readJson } from './read-input.ts'

/** The JSON API: section 4.2 of the reference. */
export interface Api {
  /** Answers what is for a path of the API. Never rejects for what a client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

type Resources = ReadonlyMap<string, ApiResource>
type ResourceAddress = Extract<ApiAddress, { kind: 'resource' }>
type From = { readonly remoteAddress: string | null }

/** One request for a resource, as every attempt to answer it begins. */
interface Asked {
  readonly arrived: Arrived
  readonly address: ResourceAddress
  readonly resource: ApiResource
  readonly body: ApiBody
}

const NO_BODY: ApiBody = { kind: 'object', members: {} }

export function createApi(core: Core, locate: VisitorUrls): Api {
  const resources: Resources = new Map(resourcesOf(core).map((resource) => [resource.path, resource]))
  return {
    async fetch(raw, from) {
      try {
        return await answered(core, resources, raw, { ...from, url: locate(raw) })
      } catch (error) {
        return await bareError(core, raw, error)
      }
    },
  }
}

async function answered(core: Core, resources: Resources, raw: Request, at: From & { url: URL }): Promise<Response> {
  const toHttps = wayToHttps(core.settings, raw, at.url)
  if (toHttps !== null) return toHttps
  const address = apiAddress(core.settings, raw, at.url.pathname)
  if (address.kind === 'description') return described(core, raw, at, address.format)
  const client = address.kind === 'nothing' ? 'page' : address.client
  // An app has no cookies, whatever it sends.
  const arrived: Arrived = { ...at, raw, form: new Map(), client, ...(client === 'app' && { session: null }) }
  if (address.kind === 'nothing') return notFound(core, arrived)
  if (address.kind === 'wrong_method') return wrongMethod(core, arrived, address.methods)
  const resource = resources.get(address.path)
  if (resource === undefined || resource.clients?.includes(address.client) === false) return notFound(core, arrived)
  const session = client === 'app' ? { session: await core.headless.tokens.findSession(raw) } : {}
  return readAndAnswered(core, { arrived: { ...arrived, ...session }, address, resource })
}

async function readAndAnswered(core: Core, asked: Omit<Asked, 'body'>): Promise<Response> {
  const { arrived, address, resource } = asked
  const isForm = resource.takesForm === true
  let body = NO_BODY
  let { form } = arrived
  try {
    if (address.method !== 'GET' && isForm) form = await readFields(arrived.raw)
    else if (address.method !== 'GET') body = await readJson(arrived.raw)
  } catch (error) {
    return failed(core, await openRequest(core, arrived), asked, error)
  }
  return answerRepeatedly(core, { ...asked, arrived: { ...arrived, form }, body })
}

/** A form that cannot be read has no fields: it is answered like any other that is wrong. */
async function readFields(raw: Request): Promise<Arrived['form']> {
  try {
    return await readForm(raw)
  } catch (error) {
    if (error instanceof AuthError && error.code === 'form_malformed') return new Map()
    throw error
  }
}

async function notFound(core: Core, arrived: Arrived): Promise<Response> {
  return errorResponse(core, await openRequest(core, arrived), new AuthError('not_found'), null)
}

async function wrongMethod(core: Core, arrived: Arrived, methods: readonly string[]): Promise<Response> {
  return finishResponse(core, await openRequest(core, arrived), notAllowed(methods))
}

async function described(core: Core, raw: Request, at: From & { url: URL }, format: 'json' | 'yaml' | 'html') {
  const { specificationResponse } = await import('./description/specification-response.ts')
  const request = await openRequest(core, { ...at, raw, form: new Map(), client: 'page', session: null })
  return finishResponse(core, request, await specificationResponse(core, request, format))
}

/** An operation whose session was changed by another request begins anew: until it is done it has had no effect. */
async function answerRepeatedly(core: Core, asked: Asked): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const request = await openRequest(core, asked.arrived)
    const before = signInOf(request)
    let envelope: Envelope | null
    try {
      envelope = await answerOnce(core, request, asked, attempt === 1)
    } catch (error) {
      if (isConflict(error) && attempt < SESSION_ATTEMPTS) continue
      return failed(core, request, asked, error)
    }
    return finished(core, request, asked, { envelope, before })
  }
}

/** `null`: the resource does not have the method. */
async function answerOnce(core: Core, request: PageRequest, asked: Asked, isFirst: boolean): Promise<Envelope | null> {
  const { arrived, address } = asked
  const isSafe = address.method === 'GET'
  if (address.client === 'browser' && !isSafe) {
    const own = [request.url.origin, ...core.settings.csrfTrustedOrigins]
    const given = request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER)
    checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
  }
  // An app that names a session which is over must forget it.
  if (arrived.session !== undefined && arrived.session !== null && request.session.id === null) {
    return { ...(await envelopeOf(core, request, { kind: 'authentication', as: 'anonymous' })), status: 410 }
  }
  const answer = await ran(core, request, asked, isFirst)
  return answer === null ? null : envelopeOf(core, request, answer)
}

async function finished(
  core: Core,
  request: PageRequest,
  asked: Asked,
  { envelope, before }: { readonly envelope: Envelope | null; readonly before: SignIn },
): Promise<Response> {
  try {
    if (envelope !== null) return await sendEnvelope(core, request, envelope, before)
    return await finishResponse(core, request, notAllowed(Object.keys(asked.resource.operations)))
  } catch (error) {
    return failed(core, request, asked, error)
  }
}

/** `null`: the resource does not have the method. */
async function ran(core: Core, request: PageRequest, asked: Asked, isFirst: boolean): Promise<ApiAnswer | null> {
  const call: ApiCall = { core, request }
  try {
    return await answerOf(call, asked, isFirst)
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 400, errors: error.errors }
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'login_required') return { kind: 'authentication', as: 'anonymous' }
    if (error.code === 'reauthentication_required') return { kind: 'authentication', as: 'reauthentication' }
    throw error
  }
}

async function answerOf(
  call: ApiCall,
  { address, resource, body }: Asked,
  isFirst: boolean,
): Promise<ApiAnswer | null> {
  const { core, request } = call
  const { method } = address
  if (resource.access === 'auth' && request.user === null) return { kind: 'authentication', as: 'anonymous' }
  const { limit } = resource
  // Where anonymous visitors come too, a limit per user is taken once it is known for whom.
  const isCounted = limit !== undefined && isFirst && (limit.per === 'ip' || request.user !== null)
  if (isCounted && (method !== 'GET' || limit.alsoGet === true))
    await takeForVisitor(core.limits, limit.action, request)
  const elsewhere = (await resource.before?.(call, method)) ?? null
  if (elsewhere !== null) return elsewhere
  const found = resource.operations[method as ApiMethod] // `undefined` for any other text
  const read = found ?? onlyWriting(resource, method)
  const input = read === null || read.ignoresBody === true ? {} : await inputOf(call, read, body)
  return found === undefined ? null : found.handle(call, input)
}

async function inputOf(call: ApiCall, operation: Operation, body: ApiBody): Promise<unknown> {
  try {
    return readInput(call, operation.input(call), body)
  } catch (error) {
    if (error instanceof InvalidInput) await operation.invalid?.(call, error.errors)
    throw error
  }
}

/** A method that is not there is refused after the input of the only one that writes: as clients know it. */
function onlyWriting({ operations }: ApiResource, method: string): Operation | null {
  const writing = Object.entries(operations).filter(([name]) => name !== 'GET')
  return method === 'GET' || writing.length !== 1 ? null : (writing[0]?.[1] ?? null)
}

const notAllowed = (methods: readonly string[]): Response =>
  new Response(null, { status: 405, headers: { allow: methods.join(', ') } })

/** What the API does not foresee says nothing of itself; a missing CSRF token is a page, as everywhere. */
async function failed(
  core: Core,
  request: PageRequest,
  { address }: Pick<Asked, 'address'>,
  error: unknown,
): Promise<Response> {
  if (error instanceof ImmediateResponse) return finishResponse(core, request, error.response)
  if (error instanceof AuthError && error.code === 'csrf_failed') {
    return errorResponse(core, request, error, address.path)
  }
  const { status, headers, isLogged, keepsSession } = failureOf(error)
  if (isLogged) core.log.error('An operation of the JSON API failed', { path: address.path, error })
  const envelope: Envelope = { status, headers }
  return sendEnvelope(core, request, envelope, signInOf(request), !keepsSession)
}
