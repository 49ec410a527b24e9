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
  const loaded = await headless.loadResources()
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
  const toHttps = redirectToHttps(headless.kernel.settings, raw, at.url)
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
    const before = captureSignIn(request)
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
    return { ...(await buildEnvelope(headless, request, { kind: 'authentication', as: 'anonymous' })), status: 410 }
  }
  const answer = await ran(request, asked, isFirst)
  return answer === null ? null : buildEnvelope(headless, request, answer)
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
    await takeVisitorSlot(visit.kernel.limits, limit.action, visit)
  const elsewhere = (await resource.before?.(visit, method)) ?? null
  if (elsewhere !== null) return elsewhere
  const found = resource.operations[method as ApiMethod] // `undefined` for any other text
  const read = found ?? onlyWriting(resource, method)
  const input = read === null || read.row.ignoresBody === true ? {} : await inputOf(visit, read, body)
  return found === undefined ? null : found.handle(visit, input)
}

async function inputOf(visit: PageRequest, operation: Operation, body: ApiBody): Promise<unknown> {
  try {
    return readInput(visit, operation.fields(visit), body)
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
  const { status, headers, isLogged, keepsSession } = toFailure(error)
  if (isLogged) headless.kernel.log.error('An operation of the JSON API failed', { path: address.path, error })
  const envelope: Envelope = { status, headers }
  return sendEnvelope(headless, request, envelope, captureSignIn(request), !keepsSession)
}

/** A JSON body, read and not looked at: its members, or that it is none. */
export type ApiBody = { readonly kind: 'object'; readonly members: Members } | { readonly kind: 'malformed' }
type Members = Readonly<Record<string, unknown>>

const MALFORMED: ApiBody = { kind: 'malformed' }

/** No body: no members. @throws {AuthError} `form_too_large`, `form_malformed` for one that breaks off */
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

/** The values of the fields. @throws {InvalidInput} with everything that is wrong, in the order of the fields */
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
