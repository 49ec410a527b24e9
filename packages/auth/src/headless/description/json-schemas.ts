import { type JsonObject, SCHEMA_REFERENCES } from '@gatepost/openapi'
import type { Headless } from '../headless.ts'
import type { ApiClient } from '../../kernel/operations/declaration.ts'

/** Schemas by name, as in `components.schemas`. @see JSON Schema 2020-12 */
export type Schemas = Readonly<Record<string, JsonObject>>

/** The members of `meta` that only apps get. */
const TOKENS: ReadonlySet<string> = new Set(['session_token', 'access_token', 'refresh_token'])
/** The member that marks objects with access tokens. */
const ACCESS_TOKEN = 'access_token'

/** Creates the schemas of an instance, including what the host adds to users, stages, and tokens. */
export async function createSchemas(headless: Headless, clients: readonly ApiClient[]): Promise<Schemas> {
  const [{ z }, { PARTS, SHAPES }] = await Promise.all([import('zod'), import('./shapes.ts')])
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries({ ...PARTS, ...SHAPES })) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `${SCHEMA_REFERENCES}${id}`, io: 'output' })
  const own = Object.entries(schemas).map(([id, schema]) => [id, asObject(tidy(schema))] as const)
  const all: Record<string, JsonObject> = Object.fromEntries(own)
  return {
    ...Object.fromEntries(
      Object.entries(all).map(([id, schema]) => [
        id,
        asObject(clients.includes('app') ? withTokens(headless, schema) : withoutTokens(schema)),
      ]),
    ),
    User: withMembers(all['User'] ?? {}, headless.adapter.getUserSchema()),
    Flow: withStages(all['Flow'] ?? {}, headless),
  }
}

/** Removes uninformative keywords: IDs, dialects, and the range of safe integers. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, inner]) =>
      name !== '$schema' &&
      name !== '$id' &&
      !((name === 'minimum' || name === 'maximum') && Math.abs(Number(inner)) === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(kept.map(([name, inner]) => [name, tidy(inner)]))
}

const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** Removes the tokens, which browsers never get. */
function withoutTokens(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTokens)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      withoutTokens(name === 'properties' && isMeta(inner) ? withoutNames(inner) : inner),
    ]),
  )
}

const withoutNames = (properties: object): object =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !TOKENS.has(name)))

/** Returns whether these are the `properties` of a `meta`. Those of `AccessTokens` have no session token. */
const isMeta = (properties: unknown): properties is object =>
  typeof properties === 'object' && properties !== null && 'session_token' in properties

/** Adds the members of a host's own token strategy. */
function withTokens(headless: Headless, value: unknown): unknown {
  const more = headless.tokens.tokenSchemas?.() ?? {}
  if (Object.keys(more).length === 0) return value
  const add = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(add)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([name, member]) => [
        name,
        name === 'properties' && ACCESS_TOKEN in asObject(member) ? { ...asObject(member), ...more } : add(member),
      ]),
    )
  }
  return add(value)
}

/** Adds the members of another schema to an object schema. */
function withMembers(schema: JsonObject, more: JsonObject): JsonObject {
  const required = [schema['required'], more['required']].flatMap((names): unknown[] =>
    Array.isArray(names) ? names : [],
  )
  return {
    ...schema,
    properties: { ...asObject(schema['properties']), ...asObject(more['properties']) },
    required: [...new Set(required)],
    ...(more['additionalProperties'] !== undefined && { additionalProperties: more['additionalProperties'] }),
  }
}

/** Adds the login stages that the schema of a flow doesn't list: those of the host. */
function withStages(flow: JsonObject, headless: Headless): JsonObject {
  const choices: readonly unknown[] = Array.isArray(flow['oneOf']) ? flow['oneOf'] : []
  const described = new Set(
    choices.flatMap((choice): readonly unknown[] => {
      const id = asObject(asObject(asObject(choice)['properties'])['id'])
      return Array.isArray(id['enum']) ? id['enum'] : [id['const']]
    }),
  )
  const keys = headless.account.adapter.getLoginStages().map(({ key }) => key)
  const foreign = keys.filter((key) => !described.has(key))
  if (foreign.length === 0) return flow
  const own = {
    type: 'object',
    properties: { id: { type: 'string', enum: foreign }, is_pending: { type: 'boolean', const: true } },
    required: ['id', 'is_pending'],
    additionalProperties: false,
  }
  return { ...flow, oneOf: [...choices, own] }
}
