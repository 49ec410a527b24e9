import type { Headless } from './headless.ts'
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
import type { ApiAnswer, ApiMethod, ApiResource, Operation } from '../kernel/operations/operation.ts'
import { loadResources } from './all-operations.ts'
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

/** Loads the operations of every module that is on, and answers requests for them. */
export async function createApi(headless: Headless, locate: VisitorUrls): Promise<Api> {
  const loaded = await loadResources(headless.kernel)
  const resources: Resources = new Map(loaded.map((resource) => [resource.path, resource]))
  return {
    async fetch(raw, from) {
      try {
        return await answered(headless, resources, raw, { ...from, url: locate(raw) })
      } catch (error) {
        return await bareError(headless.kernel, raw, error)
      }
    },
  }
}

async function answered(
  headless: Headless,
  resources: Resources,
  raw: Request,
  at: From & { url: URL },
): Promise<Response> {
  const toHttps = wayToHttps(headless.kernel.settings, raw, at.url)
  if (toHttps !== null) return toHttps
  const address = apiAddress(headless.kernel.settings, raw, at.url.pathname)
  if (address.kind === 'description') return described(headless, raw, at, address.format)
  const client = address.kind === 'nothing' ? 'page' : address.client
  // An app has no cookies, whatever it sends.
  const arrived: Arrived = { ...at, raw, form: new Map(), client, ...(client === 'app' && { session: null }) }
  if (address.kind === 'nothing') return notFound(headless, arrived)
  if (address.kind === 'wrong_method') return wrongMethod(headless, arrived, address.methods)
  const resource = resources.get(address.path)
  if (resource === undefined || resource.clients?.includes(address.client) === false) return notFound(headless, arrived)
  const session = client === 'app' ? { session: await headless.tokens.findSession(raw) } : {}
  return readAndAnswered(headless, { arrived: { ...arrived, ...session }, address, resource })
}

async function readAndAnswered(headless: Headless, asked: Omit<Asked, 'body'>): Promise<Response> {
  const { arrived, address, resource } = asked
  const isForm = resource.takesForm === true
  let body = NO_BODY
  let { form } = arrived
  try {
    if (address.method !== 'GET' && isForm) form = await readFields(arrived.raw)
    else if (address.method !== 'GET') body = await readJson(arrived.raw)
  } catch (error) {
    return failed(headless, await openRequest(headless.kernel, arrived), asked, error)
  }
  return answerRepeatedly(headless, { ...asked, arrived: { ...arrived, form }, body })
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

async function notFound(headless: Headless, arrived: Arrived): Promise<Response> {
  return errorResponse(await openRequest(headless.kernel, arrived), new AuthError('not_found'), null)
}

async function wrongMethod(headless: Headless, arrived: Arrived, methods: readonly string[]): Promise<Response> {
  return finishResponse(await openRequest(headless.kernel, arrived), notAllowed(methods))
}

async function described(headless: Headless, raw: Request, at: From & { url: URL }, format: 'json' | 'yaml' | 'html') {
  const { specificationResponse } = await import('./description/specification-response.ts')
  const request = await openRequest(headless.kernel, { ...at, raw, form: new Map(), client: 'page', session: null })
  return finishResponse(request, await specificationResponse(headless, request, format))
}

/** An operation whose session was changed by another request begins anew: until it is done it has had no effect. */
async function answerRepeatedly(headless: Headless, asked: Asked): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const request = await openRequest(headless.kernel, asked.arrived)
    const before = signInOf(request)
    let envelope: Envelope | null
    try {
      envelope = await answerOnce(headless, request, asked, attempt === 1)
    } catch (error) {
      if (isConflict(error) && attempt < SESSION_ATTEMPTS) continue
      return failed(headless, request, asked, error)
    }
    return finished(headless, request, asked, { envelope, before })
  }
}

/** `null`: the resource does not have the method. */
async function answerOnce(
  headless: Headless,
  request: PageRequest,
  asked: Asked,
  isFirst: boolean,
): Promise<Envelope | null> {
  const { arrived, address } = asked
  const isSafe = address.method === 'GET'
  if (address.client === 'browser' && !isSafe) {
    const own = [request.url.origin, ...headless.kernel.settings.csrfTrustedOrigins]
    const given = request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER)
    checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
  }
  // An app that names a session which is over must forget it.
  if (arrived.session !== undefined && arrived.session !== null && request.session.id === null) {
    return { ...(await envelopeOf(headless, request, { kind: 'authentication', as: 'anonymous' })), status: 410 }
  }
  const answer = await ran(request, asked, isFirst)
  return answer === null ? null : envelopeOf(headless, request, answer)
}

async function finished(
  headless: Headless,
  request: PageRequest,
  asked: Asked,
  { envelope, before }: { readonly envelope: Envelope | null; readonly before: SignIn },
): Promise<Response> {
  try {
    if (envelope !== null) return await sendEnvelope(headless, request, envelope, before)
    return await finishResponse(request, notAllowed(Object.keys(asked.resource.operations)))
  } catch (error) {
    return failed(headless, request, asked, error)
  }
}

/** `null`: the resource does not have the method. */
async function ran(request: PageRequest, asked: Asked, isFirst: boolean): Promise<ApiAnswer | null> {
  try {
    return await answerOf(request, asked, isFirst)
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 400, errors: error.errors }
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'login_required') return { kind: 'authentication', as: 'anonymous' }
    if (error.code === 'reauthentication_required') return { kind: 'authentication', as: 'reauthentication' }
    throw error
  }
}

async function answerOf(
  visit: PageRequest,
  { address, resource, body }: Asked,
  isFirst: boolean,
): Promise<ApiAnswer | null> {
  const { method } = address
  if (resource.access === 'auth' && visit.user === null) return { kind: 'authentication', as: 'anonymous' }
  const { limit } = resource
  // Where anonymous visitors come too, a limit per user is taken once it is known for whom.
  const isCounted = limit !== undefined && isFirst && (limit.per === 'ip' || visit.user !== null)
  if (isCounted && (method !== 'GET' || limit.alsoGet === true))
    await takeForVisitor(visit.kernel.limits, limit.action, visit)
  const elsewhere = (await resource.before?.(visit, method)) ?? null
  if (elsewhere !== null) return elsewhere
  const found = resource.operations[method as ApiMethod] // `undefined` for any other text
  const read = found ?? onlyWriting(resource, method)
  const input = read === null || read.ignoresBody === true ? {} : await inputOf(visit, read, body)
  return found === undefined ? null : found.handle(visit, input)
}

async function inputOf(visit: PageRequest, operation: Operation, body: ApiBody): Promise<unknown> {
  try {
    return readInput(visit, operation.input(visit), body)
  } catch (error) {
    if (error instanceof InvalidInput) await operation.invalid?.(visit, error.errors)
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
  headless: Headless,
  request: PageRequest,
  { address }: Pick<Asked, 'address'>,
  error: unknown,
): Promise<Response> {
  if (error instanceof ImmediateResponse) return finishResponse(request, error.response)
  if (error instanceof AuthError && error.code === 'csrf_failed') {
    return errorResponse(request, error, address.path)
  }
  const { status, headers, isLogged, keepsSession } = failureOf(error)
  if (isLogged) headless.kernel.log.error('An operation of the JSON API failed', { path: address.path, error })
  const envelope: Envelope = { status, headers }
  return sendEnvelope(headless, request, envelope, signInOf(request), !keepsSession)
}
