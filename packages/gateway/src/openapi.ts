import { GATEWAY_ERRORS } from './server/errors.ts'
import type { GatewayRoute } from './server/gateway-route.ts'
import { CHANNEL_ERRORS, PLATFORM_IDS } from '@gatepost/channels'
import { SQL_ERRORS } from '@gatepost/sql'
import { z } from 'zod'

type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }
type JsonObject = Readonly<Record<string, Json>>

type Described = Omit<GatewayRoute, 'handle'>

/** Errors that any route may answer, besides its own. */
const COMMON_ERRORS = [
  'invalid_query',
  'unauthorized',
  'scope_missing',
  'second_factor_required',
  'foreign_origin',
  'unknown_host',
  'internal_error',
  'database_unavailable',
]
const BODY_ERRORS = ['malformed_json', 'unsupported_media_type', 'body_too_large', 'invalid_body']

const STATUS_OF: ReadonlyMap<string, { readonly status: number; readonly message: string }> = new Map(
  Object.entries({ ...GATEWAY_ERRORS, ...CHANNEL_ERRORS, database_unavailable: SQL_ERRORS.database_unavailable }),
)

/** Codes of the failures that a route can answer, the common ones last. */
export function listRouteErrors(route: Described): readonly string[] {
  return [
    ...route.errors,
    ...(route.perAccount === true ? ['unknown_account'] : []),
    ...(route.method === 'GET' ? [] : ['csrf_failed']),
    ...(route.body === undefined ? [] : BODY_ERRORS),
    ...COMMON_ERRORS,
  ]
}

/** What a code means; `undefined` for one that no table has. */
export const errorNamed = (code: string): { readonly status: number; readonly message: string } | undefined =>
  STATUS_OF.get(code)

/** The OpenAPI 3.1 document of the routes: what is served is what is described. @throws {Error} for an unknown code */
export function openApiDocument(routes: readonly Described[], version: string): JsonObject {
  const schemas: Record<string, Json> = { Error: ERROR_SCHEMA }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    const path = (paths[route.path] ??= {})
    path[route.method.toLowerCase()] = operation(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Gatepost', version, description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'channels', description: 'Connections to chat platforms' },
      { name: 'accounts', description: 'People, their tokens, and what they did' },
      { name: 'service', description: 'The service itself: its assistant and its log' },
      { name: 'demo', description: 'Emulated platforms to try everything on' },
    ],
    security: [{ bearer: [] }, { app: [] }, { session: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The owner token, in `api-token` of the data folder, a personal access token, or with `HEADLESS_TOKEN_STRATEGY=jwt` the access token of an app',
        },
        app: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Session-Token',
          description:
            'An app that signed in by `/_allauth/app/v1/`. With an Authorization header it is not looked at.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'sessionid',
          description:
            'A browser that is signed in at `/accounts/login/`. What changes something also needs the value of the cookie `csrftoken` in the header `X-CSRFToken`. With one of the other headers the cookie is not looked at.',
        },
      },
    },
  }
}

const INTRODUCTION =
  'Manages the connections of an assistant to chat platforms. Every error has the same shape: a sentence for people and a stable code for programs. Times are milliseconds since the Unix epoch.'

const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  description: 'Every failure has this shape',
  properties: {
    ok: { const: false },
    error: { type: 'string', description: 'A sentence for people' },
    code: { type: 'string', description: 'Stable, for programs' },
    field: { type: 'string', description: 'Name of the field that it is about; of the assistant alone' },
    reason: { type: 'string', description: "With `assistant_failed`: the assistant's own code" },
  },
  required: ['ok', 'error', 'code'],
  additionalProperties: false,
}

function operation(route: Described, schemas: Record<string, Json>): Json {
  const type = route.stream === true ? 'text/event-stream' : 'application/json'
  const answers = Object.entries(route.answers).map(([status, { description, schema }]): [string, Json] => [
    status,
    { description, content: { [type]: { schema: toJsonSchema(schema, 'output', schemas) } } },
  ])
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    description: `Needs the scope \`${route.scope}\`.`,
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(route.body && {
      requestBody: {
        required: route.body.optional !== true,
        content: { 'application/json': { schema: toJsonSchema(route.body.schema, 'input', schemas) } },
      },
    }),
    responses: Object.fromEntries([...answers, ...failures(route)]),
  }
}

function pathParameters(route: Described): readonly Json[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'platform' ? { type: 'string', examples: [...PLATFORM_IDS] } : { type: 'string' },
  }))
}

function queryParameters(route: Described, schemas: Record<string, Json>): readonly Json[] {
  return Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    // The shape of an object schema is typed loosely by zod; every member is a schema.
    schema: toJsonSchema(schema as z.ZodType, 'input', schemas),
  }))
}

/** One response for each status, naming the codes that it may carry. */
function failures(route: Described): readonly [string, Json][] {
  const byStatus = Map.groupBy(new Set(listRouteErrors(route)), (code) => {
    const entry = errorNamed(code)
    if (entry === undefined) throw new Error(`${route.id} names the unknown error ${code}`)
    return String(entry.status)
  })
  return [...byStatus].map(([status, codes]) => [
    status,
    {
      description: codes.map((code) => `\`${code}\`: ${errorNamed(code)?.message ?? ''}`).join('\n'),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ])
}

/** The JSON Schema; shapes with an id of their own go to the components. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  const generated: unknown = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { target: 'draft-2020-12', io })).replaceAll(
      '#/$defs/',
      '#/components/schemas/',
    ),
  )
  const {
    $schema: _dialect,
    $defs,
    ...own
  } = generated as { $schema?: Json; $defs?: Record<string, Json> } & JsonObject // JSON Schema as zod makes it
  Object.assign(schemas, $defs)
  return own
}
