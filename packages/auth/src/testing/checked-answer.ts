import type { Auth } from '../auth.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { SCHEMA_REFERENCES } from '@gatepost/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { findContractAlias } from '../headless/api-address.ts'
import { listAnswers, selectClients } from '../headless/description/openapi.ts'
import { createSchemas, type Schemas } from '../headless/description/json-schemas.ts'
import type { ApiClient, ApiMethod, ShapeName } from '../kernel/operations/declaration.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'
import type { AnswerCheck } from './api-visitor.ts'

type Checked = Parameters<AnswerCheck>[0]
type Check = (answer: Checked) => void

/** Made once for each instance and client: compiling takes longer than many answers. */
const made = new WeakMap<Auth, Map<ApiClient, Promise<Check>>>()

/**
 * Holds an answer of the JSON API against its description. What is no JSON, and a path that is not there, is let pass.
 * @throws {Error} for a status or a body that the description does not have
 */
export async function checkAnswer(auth: Auth, answer: Checked): Promise<void> {
  if (typeof answer.body !== 'object' || answer.body === null) return
  const ofCore = made.get(auth) ?? new Map<ApiClient, Promise<Check>>()
  made.set(auth, ofCore)
  const check = ofCore.get(answer.client) ?? checkOf(auth, answer.client)
  ofCore.set(answer.client, check)
  ;(await check)(answer)
}

/** Compiled shapes of one description: most instances of a test file have the same. */
const compiled = new Map<string, (shape: ShapeName) => ValidateFunction>()

function validatorsOf(schemas: Schemas): (shape: ShapeName) => ValidateFunction {
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

async function checkOf(auth: Auth, client: ApiClient): Promise<Check> {
  const resources = await auth.module('headless').loadResources()
  const validator = validatorsOf(await createSchemas(auth.module('headless'), [client]))
  return (answer) => {
    const { status, body } = answer
    const shape = shapeOf(auth, resources, answer)
    if (shape === null) return
    const valid = validator(shape)
    if (!valid(body)) fail(answer, `is no ${shape}: ${JSON.stringify(valid.errors)}`)
    if (!hasStatus(body, status)) fail(answer, 'has another status in its body')
  }
}

const hasStatus = (body: unknown, status: number): boolean =>
  typeof body === 'object' && body !== null && 'status' in body && body.status === status

/** What the answer must be; `null`: nothing is said of it. */
function shapeOf(auth: Auth, resources: readonly ApiResource[], answer: Checked): ShapeName | null {
  const { client, status } = answer
  const { method, path } = meantBy(auth.kernel, answer)
  const resource = resources.find((known) => known.path === path)
  if (resource === undefined || !selectClients(resource, auth.kernel.settings.headless.clients).includes(client))
    return null
  const name = method === 'HEAD' ? 'GET' : method
  const operation = resource.operations[name as ApiMethod] // `undefined` for any other text
  // A method that is not there is refused after the input, the limit and whoever asks were looked at.
  const answers =
    operation === undefined
      ? OF_WRONG_METHODS
      : { 400: 'Errors' as const, ...listAnswers(resource, operation.row, [client]) } // a body may be no JSON at all
  // The server's own failures, and bodies that it does not read, say nothing but their status.
  const shape = status >= 500 || status === 413 ? 'Status' : answers[status]
  if (shape === undefined) fail(answer, 'has a status that the description does not have')
  return shape ?? null
}

const OF_WRONG_METHODS: Readonly<Partial<Record<number, ShapeName>>> = {
  400: 'Errors',
  401: 'AuthenticationFlows',
  403: 'Status',
  409: 'Status',
  410: 'AuthenticationFlows',
  429: 'Status',
}

/** Below `{client}/v1/`, whatever path of the API was asked for. */
function meantBy(
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
