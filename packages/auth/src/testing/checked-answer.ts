import { SCHEMA_REFERENCES } from '@gatepost/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Auth } from '../auth.ts'
import { findContractAlias } from '../headless/api-address.ts'
import { createSchemas, type Schemas } from '../headless/description/json-schemas.ts'
import {
  listResponses,
  type OperationResponse,
  type OperationResponses,
  selectClients,
} from '../headless/description/responses.ts'
import type { Headless } from '../headless/headless.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ApiClient, ApiMethod, OperationRow, ShapeName } from '../kernel/operations/declaration.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { AnswerCheck } from './api-visitor.ts'

type Checked = Parameters<AnswerCheck>[0]
type Check = (answer: Checked) => void

/** One per instance and client, because compiling takes longer than many responses. */
const checks = new WeakMap<Auth, Map<ApiClient, Promise<Check>>>()

/**
 * Compares a response of the JSON API with its declaration: the status, the body, and the codes of its errors. Ignores
 * responses without JSON, and those of unknown paths.
 * @throws {Error} if the operation's row doesn't declare it
 */
export async function checkAnswer(auth: Auth, answer: Checked): Promise<void> {
  if (typeof answer.body !== 'object' || answer.body === null) return
  const byClient = checks.get(auth) ?? new Map<ApiClient, Promise<Check>>()
  checks.set(auth, byClient)
  const check = byClient.get(answer.client) ?? createCheck(auth, answer.client)
  byClient.set(answer.client, check)
  ;(await check)(answer)
}

/** Compiled shapes by description: most instances of a test file have the same one. */
const compiled = new Map<string, (shape: ShapeName) => ValidateFunction>()

function compileShapes(schemas: Schemas): (shape: ShapeName) => ValidateFunction {
  const text = JSON.stringify(schemas)
  const known = compiled.get(text)
  if (known !== undefined) return known
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  ajv.addSchema({ $id: 'api', components: { schemas } })
  const validators = new Map<ShapeName, ValidateFunction>()
  const validator = (shape: ShapeName): ValidateFunction => {
    const validate = validators.get(shape) ?? ajv.compile({ $ref: `api${SCHEMA_REFERENCES}${shape}` })
    validators.set(shape, validate)
    return validate
  }
  compiled.set(text, validator)
  return validator
}

async function createCheck(auth: Auth, client: ApiClient): Promise<Check> {
  const headless = auth.module('headless')
  const resources = await headless.loadResources()
  const validator = compileShapes(await createSchemas(headless, [client]))
  return (answer) => {
    const { status, body } = answer
    const responses = findResponses(headless, resources, answer)
    if (responses === null) return
    // Failures of the server have only a status.
    const response = status >= 500 ? SERVER_FAILURE : responses[status]
    if (response === undefined) fail(answer, 'is a status that the operation does not declare')
    const valid = validator(response.shape)
    if (!valid(body)) fail(answer, `is no ${response.shape}: ${JSON.stringify(valid.errors)}`)
    if (!hasStatus(body, status)) fail(answer, 'has another status in its body')
    const undeclared = listCodes(body).filter((code) => !response.codes.includes(code))
    if (undeclared.length > 0) fail(answer, `has error codes that the operation does not declare: ${undeclared.join()}`)
  }
}

const SERVER_FAILURE: OperationResponse = { shape: 'Status', codes: [], isOwn: false }

const hasStatus = (body: unknown, status: number): boolean =>
  typeof body === 'object' && body !== null && 'status' in body && body.status === status

/** Returns the codes of a body that has the shape of its response. */
const listCodes = (body: unknown): readonly string[] =>
  ((body as { readonly errors?: readonly { readonly code: string }[] }).errors ?? []).map(({ code }) => code) // validated

/** Returns the declared responses, or `null` for a path that the client doesn't have. */
function findResponses(
  headless: Headless,
  resources: readonly ApiResource[],
  answer: Checked,
): OperationResponses | null {
  const { client } = answer
  const { method, path } = resolveTarget(headless.kernel, answer)
  const resource = resources.find((known) => known.path === path)
  if (resource === undefined || !selectClients(resource, headless.kernel.settings.headless.clients).includes(client))
    return null
  const list = (row: OperationRow): OperationResponses =>
    listResponses(headless, resource, row, { fields: listPossibleFields(row), clients: [client] })
  const name = method === 'HEAD' ? 'GET' : method
  const operation = resource.operations[name as ApiMethod] // `undefined` for any other text
  if (operation !== undefined) return list(operation.row)
  const writing = Object.values(resource.operations).flatMap(({ row }) => (row.method === 'GET' ? [] : [list(row)]))
  const codes = writing.flatMap((responses) => responses[400]?.codes ?? [])
  return withCodes(WRONG_METHOD, codes)
}

/** Returns the fields of a row. If it has dynamic input, they can all be required. */
const listPossibleFields = ({ input = [], dynamicInput }: OperationRow): NonNullable<OperationRow['input']> =>
  dynamicInput === undefined ? input : input.map((field) => ({ ...field, required: true }))

/** A method that the path doesn't have is rejected after access, limits, and the input have been checked. */
const WRONG_METHOD: Readonly<Partial<Record<number, ShapeName>>> = {
  400: 'Errors',
  401: 'AuthenticationFlows',
  403: 'Status',
  409: 'Status',
  410: 'AuthenticationFlows',
  413: 'Status',
  429: 'Status',
}

const withCodes = (shapes: typeof WRONG_METHOD, codes: readonly string[]): OperationResponses =>
  Object.fromEntries(
    Object.entries(shapes).map(([status, shape = 'Status']) => [
      status,
      { shape, codes: shape === 'Errors' ? codes : [], isOwn: true },
    ]),
  )

/** Returns the method and the path below `{client}/v1/` of a request, whichever of its addresses it used. */
function resolveTarget(
  { settings }: Pick<Kernel, 'settings'>,
  { client, method, path }: Checked,
): { readonly method: string; readonly path: string } {
  const pathname = path.replace(/[?#].*$/, '')
  const alias = findContractAlias(pathname, method)
  if (alias !== null && 'path' in alias) return alias
  const mount = `${settings.headless.path}${client}/v1/`
  return { method, path: pathname.startsWith(mount) ? pathname.slice(mount.length) : pathname }
}

function fail({ client, method, path, status, body }: Checked, what: string): never {
  throw new Error(`${method} ${path} (${client}): ${status} ${what}\n${JSON.stringify(body, null, 1)}`)
}
