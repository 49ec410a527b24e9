import { AuthError, ImmediateResponse, type InputError, InvalidInput } from '../errors.ts'
import { bareError, toFailure } from '../kernel/http/responses.ts'
import { checkCsrf, checkOrigin, CSRF_FIELD, CSRF_HEADER } from '../kernel/http/csrf.ts'
import { readForm } from '../kernel/http/form-body.ts'
import {
  openRequest,
  isConflict,
  SESSION_ATTEMPTS,
  type Arrived,
  type PageRequest,
} from '../kernel/http/page-request.ts'
import { errorResponse, finishResponse } from '../kernel/http/page-response.ts'
import type { VisitorUrls } from '../kernel/http/visitor-url.ts'
import { redirectToHttps } from '../kernel/http/dispatch.ts'
import { takeVisitorSlot } from '../kernel/limits/take.ts'
import type { ApiMethod, InputField } from '../kernel/operations/declaration.ts'
import { MALFORMED_BODY } from '../kernel/operations/errors.ts'
import type { SessionReference } from '../kernel/sessions/session.ts'
import type { ApiAnswer, ApiResource, Operation } from '../kernel/operations/operation.ts'
import { apiAddress, type ApiAddress } from './api-address.ts'
import { type Envelope, buildEnvelope, sendEnvelope, type SignIn, captureSignIn } from './envelope.ts'
import type { Headless } from './headless.ts'
import { type ApiBody, readInput, readJson } from './input.ts'

/** The JSON API (reference, section 4.2). */
export interface Api {
  /** Handles a request to the API. Never rejects, whatever the client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

type Resources = ReadonlyMap<string, ApiResource>
type ResourceAddress = Extract<ApiAddress, { kind: 'resource' }>
type From = { readonly remoteAddress: string | null }

/** A request for a resource, with its body read. */
interface ApiRequest {
  readonly arrived: Arrived
  readonly address: ResourceAddress
  readonly resource: ApiResource
  readonly body: ApiBody
}

const NO_BODY: ApiBody = { kind: 'object', members: {} }

/** Creates the API with the operations of all enabled modules. */
export async function createApi(headless: Headless, locate: VisitorUrls): Promise<Api> {
  const loaded = await headless.loadResources()
  const resources: Resources = new Map(loaded.map((resource) => [resource.path, resource]))
  return {
    async fetch(raw, from) {
      try {
        return await handleApiRequest(headless, resources, raw, { ...from, url: locate(raw) })
      } catch (error) {
        return await bareError(headless.kernel, raw, error)
      }
    },
  }
}

async function handleApiRequest(
  headless: Headless,
  resources: Resources,
  raw: Request,
  at: From & { url: URL },
): Promise<Response> {
  const toHttps = redirectToHttps(headless.kernel.settings, raw, at.url)
  if (toHttps !== null) return toHttps
  const address = apiAddress(headless.kernel.settings, raw, at.url.pathname)
  if (address.kind === 'description') return sendDescription(headless, raw, at, address.format)
  const client = address.kind === 'nothing' ? 'page' : address.client
  // Ignore an app's cookies.
  const arrived: Arrived = { ...at, raw, form: new Map(), client, ...(client === 'app' && { session: null }) }
  if (address.kind === 'nothing') return notFound(headless, arrived)
  if (address.kind === 'wrong_method') return wrongMethod(headless, arrived, address.methods)
  const resource = resources.get(address.path)
  if (resource === undefined || resource.clients?.includes(address.client) === false) return notFound(headless, arrived)
  const session = client === 'app' ? { session: await headless.tokens.findSession(raw) } : {}
  return readAndHandle(headless, { arrived: { ...arrived, ...session }, address, resource })
}

async function readAndHandle(headless: Headless, apiRequest: Omit<ApiRequest, 'body'>): Promise<Response> {
  const { arrived, address, resource } = apiRequest
  const isForm = resource.takesForm === true
  let body = NO_BODY
  let { form } = arrived
  try {
    if (address.method !== 'GET' && isForm) form = await readFields(arrived.raw)
    else if (address.method !== 'GET') body = await readJson(arrived.raw)
  } catch (error) {
    return sendFailure(headless, await openRequest(headless.kernel, arrived), apiRequest, error)
  }
  return handleWithConflictRetry(headless, { ...apiRequest, arrived: { ...arrived, form }, body })
}

/** Reads a form. JSON, or a malformed form, counts as empty, so that it gets the usual response to invalid input. */
async function readFields(raw: Request): Promise<Arrived['form']> {
  try {
    if (/^application\/json\b/i.test(raw.headers.get('content-type') ?? '')) return new Map()
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

async function sendDescription(
  headless: Headless,
  raw: Request,
  at: From & { url: URL },
  format: 'json' | 'yaml' | 'html',
) {
  const { specificationResponse } = await import('./description/specification-response.ts')
  const request = await openRequest(headless.kernel, { ...at, raw, form: new Map(), client: 'page', session: null })
  return finishResponse(request, await specificationResponse(headless, request, format))
}

/** Runs an operation again if another request changed its session meanwhile. */
async function handleWithConflictRetry(headless: Headless, apiRequest: ApiRequest): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const request = await openRequest(headless.kernel, apiRequest.arrived)
    const before = captureSignIn(request)
    let envelope: Envelope | null
    try {
      envelope = await handleOnce(headless, request, apiRequest, attempt === 1)
    } catch (error) {
      if (isConflict(error) && attempt < SESSION_ATTEMPTS) continue
      return sendFailure(headless, request, apiRequest, error)
    }
    return sendResponse(headless, request, apiRequest, { envelope, before })
  }
}

/** Returns `null` if the resource doesn't support the method. */
async function handleOnce(
  headless: Headless,
  request: PageRequest,
  apiRequest: ApiRequest,
  isFirst: boolean,
): Promise<Envelope | null> {
  const { arrived, address } = apiRequest
  const isSafe = address.method === 'GET'
  const own = [request.url.origin, ...headless.kernel.settings.csrfTrustedOrigins]
  // Without a session token, any web page can send an app's request, such as a sign-in.
  if (address.client === 'app' && !isSafe && (arrived.session ?? null) === null) checkOrigin(request.raw, own)
  if (address.client === 'browser' && !isSafe) {
    const given = request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER)
    checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
  }
  if (await hasEnded(request, arrived.session ?? null)) {
    return { ...(await buildEnvelope(headless, request, { kind: 'authentication', as: 'anonymous' })), status: 410 }
  }
  const answer = await runOperation(request, apiRequest, isFirst)
  return answer === null ? null : buildEnvelope(headless, request, answer)
}

/**
 * Returns whether an app's session has ended: 410 tells it to delete the token. That of a disabled user only counts as
 * signed out, because the user can be enabled again.
 */
async function hasEnded(request: PageRequest, named: SessionReference | null): Promise<boolean> {
  if (named === null || request.session.id !== null) return false
  return !(await request.kernel.sessions.isSuspended(named, request.nowMs))
}

async function sendResponse(
  headless: Headless,
  request: PageRequest,
  apiRequest: ApiRequest,
  { envelope, before }: { readonly envelope: Envelope | null; readonly before: SignIn },
): Promise<Response> {
  try {
    if (envelope !== null) return await sendEnvelope(headless, request, envelope, before)
    return await finishResponse(request, notAllowed(Object.keys(apiRequest.resource.operations)))
  } catch (error) {
    return sendFailure(headless, request, apiRequest, error)
  }
}

/** Returns `null` if the resource doesn't support the method. */
async function runOperation(request: PageRequest, apiRequest: ApiRequest, isFirst: boolean): Promise<ApiAnswer | null> {
  try {
    return await callOperation(request, apiRequest, isFirst)
  } catch (error) {
    if (error instanceof InvalidInput) return { kind: 'errors', status: 400, errors: error.errors }
    if (!(error instanceof AuthError)) throw error
    if (error.code === 'login_required') return { kind: 'authentication', as: 'anonymous' }
    if (error.code === 'reauthentication_required') return { kind: 'authentication', as: 'reauthentication' }
    throw error
  }
}

async function callOperation(
  visit: PageRequest,
  { address, resource, body }: ApiRequest,
  isFirst: boolean,
): Promise<ApiAnswer | null> {
  const { method } = address
  if (resource.access === 'auth' && visit.user === null) return { kind: 'authentication', as: 'anonymous' }
  const { limit } = resource
  // If the resource is open to anonymous visitors, a rate limit per user applies only to signed-in users.
  const isCounted = limit !== undefined && isFirst && (limit.per === 'ip' || visit.user !== null)
  if (isCounted && (method !== 'GET' || limit.alsoGet === true))
    await takeVisitorSlot(visit.kernel.limits, limit.action, visit)
  const elsewhere = (await resource.before?.(visit, method)) ?? null
  if (elsewhere !== null) return elsewhere
  const found = resource.operations[method as ApiMethod] // `undefined` for other methods
  const read = found ?? findOnlyPost(resource, method)
  const input = read === null || read.row.ignoresBody === true ? {} : await readOperationInput(visit, read, body)
  return found === undefined ? null : found.handle(visit, input)
}

/** Reads the input. If some of it is invalid, the operation checks the rest, so that all errors are reported at once. */
async function readOperationInput(visit: PageRequest, operation: Operation, body: ApiBody): Promise<unknown> {
  if (body.kind === 'malformed') throw new InvalidInput([visit.kernel.hooks.validationError(MALFORMED_BODY)])
  const fields = operation.fields(visit)
  const { values, errors } = readInput(visit, fields, body.members)
  if (errors.length === 0) return values
  const others = (await operation.invalid?.(visit, errors, values)) ?? []
  throw new InvalidInput(sortErrors([...errors, ...others], fields))
}

/** Sorts errors by field, followed by those without a field. */
function sortErrors(errors: readonly InputError[], fields: readonly InputField[]): readonly InputError[] {
  const names = fields.map(({ name }) => name)
  const position = ({ param }: InputError): number => {
    const index = param === undefined ? -1 : names.indexOf(param)
    return index < 0 ? names.length : index
  }
  return errors.toSorted((a, b) => position(a) - position(b))
}

/**
 * Returns the resource's write operation if it's a POST and the only one. With an unsupported method, its input is
 * validated first, as clients expect.
 */
function findOnlyPost({ operations }: ApiResource, method: string): Operation | null {
  const isOnly = Object.keys(operations).every((name) => name === 'GET' || name === 'POST')
  return method === 'GET' || !isOnly ? null : (operations.POST ?? null)
}

const notAllowed = (methods: readonly string[]): Response =>
  new Response(null, { status: 405, headers: { allow: methods.join(', ') } })

/** Sends an error without details. A missing CSRF token gets an HTML page, as everywhere. */
async function sendFailure(
  headless: Headless,
  request: PageRequest,
  { address }: Pick<ApiRequest, 'address'>,
  error: unknown,
): Promise<Response> {
  if (error instanceof ImmediateResponse) return finishResponse(request, error.response)
  if (error instanceof AuthError && error.code === 'csrf_failed') {
    return errorResponse(request, error, address.path)
  }
  const { status, headers, isLogged, keepsSession } = toFailure(error)
  if (isLogged) headless.kernel.log.error('An operation of the JSON API failed', { path: address.path, error })
  const envelope: Envelope = { status, headers }
  return sendEnvelope(headless, request, envelope, captureSignIn(request), !keepsSession)
}
