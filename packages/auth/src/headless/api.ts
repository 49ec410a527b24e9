import { AuthError, ImmediateResponse, type InputError, InvalidInput } from '../errors.ts'
import { isEmailSyntax } from '../kernel/forms/form.ts'
import { bareError, toFailure } from '../kernel/http/responses.ts'
import { checkCsrf, CSRF_FIELD, CSRF_HEADER } from '../kernel/http/csrf.ts'
import { readBody, readForm } from '../kernel/http/form-body.ts'
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
import { type ApiMethod, getMaxLength, type InputField, MAX_IDS } from '../kernel/operations/declaration.ts'
import { type FieldErrorCode, MALFORMED_BODY } from '../kernel/operations/errors.ts'
import type { ApiAnswer, ApiResource, Operation } from '../kernel/operations/operation.ts'
import { apiAddress, type ApiAddress } from './api-address.ts'
import { type Envelope, buildEnvelope, sendEnvelope, type SignIn, captureSignIn } from './envelope.ts'
import type { Headless } from './headless.ts'

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

/** Reads a form. A malformed form counts as empty, so that it gets the usual response to invalid input. */
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
  if (address.client === 'browser' && !isSafe) {
    const own = [request.url.origin, ...headless.kernel.settings.csrfTrustedOrigins]
    const given = request.form.get(CSRF_FIELD) || request.raw.headers.get(CSRF_HEADER)
    checkCsrf(request.raw, { own, secret: request.receivedCsrf, given })
  }
  // 410 tells an app to delete the token of a session that has ended.
  if (arrived.session !== undefined && arrived.session !== null && request.session.id === null) {
    return { ...(await buildEnvelope(headless, request, { kind: 'authentication', as: 'anonymous' })), status: 410 }
  }
  const answer = await runOperation(request, apiRequest, isFirst)
  return answer === null ? null : buildEnvelope(headless, request, answer)
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
  const read = found ?? findOnlyWriteOperation(resource, method)
  const input = read === null || read.row.ignoresBody === true ? {} : await readOperationInput(visit, read, body)
  return found === undefined ? null : found.handle(visit, input)
}

async function readOperationInput(visit: PageRequest, operation: Operation, body: ApiBody): Promise<unknown> {
  try {
    return readInput(visit, operation.fields(visit), body)
  } catch (error) {
    if (error instanceof InvalidInput) await operation.invalid?.(visit, error.errors)
    throw error
  }
}

/**
 * Returns the resource's write operation if it has exactly one. With an unsupported method, its input is validated
 * first, as clients expect.
 */
function findOnlyWriteOperation({ operations }: ApiResource, method: string): Operation | null {
  const writing = Object.entries(operations).filter(([name]) => name !== 'GET')
  return method === 'GET' || writing.length !== 1 ? null : (writing[0]?.[1] ?? null)
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

/** An unvalidated JSON body: its members, or `malformed`. */
export type ApiBody = { readonly kind: 'object'; readonly members: Members } | { readonly kind: 'malformed' }
type Members = Readonly<Record<string, unknown>>

const MALFORMED: ApiBody = { kind: 'malformed' }

/**
 * Reads a JSON body. A missing body counts as an empty object.
 * @throws {AuthError} `form_too_large`, or `form_malformed` if the body is incomplete
 */
export async function readJson(request: Request): Promise<ApiBody> {
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return { kind: 'object', members: {} }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return MALFORMED
    return { kind: 'object', members: { ...value } }
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return MALFORMED
    throw error
  }
}

/** Reads the fields' values. @throws {InvalidInput} with all errors, in field order */
export function readInput(visit: PageRequest, fields: readonly InputField[], body: ApiBody): Members {
  if (body.kind === 'malformed') throw new InvalidInput([visit.kernel.hooks.validationError(MALFORMED_BODY)])
  const errors: InputError[] = []
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    const given = field.header === undefined ? ownMember(body.members, field.name) : visit.raw.headers.get(field.header)
    const read = readField(field, given ?? undefined)
    if ('code' in read) errors.push(toInputError(visit, field, read))
    else values[field.name] = read.value
  }
  if (errors.length > 0) throw new InvalidInput(errors)
  return values
}

const ownMember = (members: Members, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined

type Read = { readonly value: unknown } | { readonly code: FieldErrorCode; readonly values?: Record<string, number> }

const toInputError = (
  visit: PageRequest,
  { name }: InputField,
  { code, values }: Extract<Read, { code: string }>,
): InputError => visit.kernel.hooks.validationError(code, { param: name, ...(values === undefined ? {} : { values }) })

function readField(field: InputField, given: unknown): Read {
  if (field.kind === 'text' || field.kind === 'email' || field.kind === 'password') return readText(field, given)
  if (given === undefined) return field.required ? { code: 'required' } : { value: undefined }
  switch (field.kind) {
    case 'boolean':
      return typeof given === 'boolean' ? { value: given } : { code: 'invalid' }
    case 'id':
      return isId(given) ? { value: given } : { code: 'invalid_choice' }
    case 'ids':
      return readIds(field, given)
    case 'object':
      return readObject(field, given)
  }
}

function readText(field: InputField, given: unknown): Read {
  if (given === undefined) return field.required ? { code: 'required' } : { value: '' }
  if (typeof given !== 'string') return { code: 'invalid' }
  const text = field.kind === 'password' ? given.toWellFormed() : given.toWellFormed().trim()
  if (text === '') return field.required ? { code: 'required' } : { value: '' }
  if (text.includes('\0')) return { code: 'null_characters_not_allowed' }
  const max = getMaxLength(field)
  if (text.length > max && Array.from(text).length > max) return { code: 'max_length', values: { max } }
  return field.kind === 'email' && !isEmailSyntax(text) ? { code: 'invalid' } : { value: text }
}

function readObject(field: InputField, given: unknown): Read {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return { code: 'invalid' }
  return field.required && Object.keys(given).length === 0 ? { code: 'required' } : { value: given }
}

function readIds(field: InputField, given: unknown): Read {
  if (!Array.isArray(given) || given.length > MAX_IDS) return { code: 'invalid_list' }
  if (given.length === 0) return field.required ? { code: 'required' } : { value: [] }
  return given.every(isId) ? { value: given } : { code: 'invalid_pk_value' }
}

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value)
