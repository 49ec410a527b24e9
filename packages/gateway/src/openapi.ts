import { GATEWAY_ERRORS } from './server/errors.ts'
import type { GatewayRoute } from './server/gateway-route.ts'
import { CHANNEL_ERRORS, PLATFORM_IDS } from '@gatepost/channels'
import { type ApiOperation, createOpenApiDocument, type JsonObject, SCHEMA_REFERENCES } from '@gatepost/openapi'
import { SQL_ERRORS } from '@gatepost/sql'
import { z } from 'zod'

type Described = Omit<GatewayRoute, 'handle'>

/** Errors that every route may return. */
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

/** Returns the error codes of a route, the common ones last. */
export function listRouteErrors(route: Described): readonly string[] {
  return [
    ...route.errors,
    ...(route.perAccount === true ? ['unknown_account'] : []),
    ...(mayNeedRecentSignIn(route) ? ['reauthentication_required'] : []),
    ...(route.method === 'GET' ? [] : ['csrf_failed']),
    ...(route.body === undefined ? [] : BODY_ERRORS),
    ...COMMON_ERRORS,
  ]
}

/** Whether a person must have signed in recently: always, or to change another account. */
const mayNeedRecentSignIn = (route: Described): boolean =>
  route.needsRecentSignIn === true ||
  (route.perAccount === true && route.method !== 'GET' && route.changesNothing !== true)

/** Looks up an error code; `undefined` if no table has it. */
export const errorNamed = (code: string): { readonly status: number; readonly message: string } | undefined =>
  STATUS_OF.get(code)

/** Generates the OpenAPI 3.1 document of the routes. @throws {Error} for an unknown error code */
export function openApiDocument(routes: readonly Described[], version: string): JsonObject {
  const schemas: Record<string, JsonObject> = { Error: ERROR_SCHEMA }
  const operations = routes.map((route) => toOperation(route, schemas))
  return createOpenApiDocument({
    openapi: '3.1.0',
    info: { title: 'Gatepost', version, description: INTRODUCTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'channels', description: 'Connections to chat platforms' },
      { name: 'accounts', description: 'Users, tokens and the audit log' },
      { name: 'service', description: 'The service, its assistant and its log' },
      { name: 'demo', description: 'Emulated platforms for trying out the service' },
    ],
    security: [{ bearer: [] }, { app: [] }, { session: [] }],
    operations,
    errorSchema: { $ref: `${SCHEMA_REFERENCES}Error` },
    schemas,
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description:
          "The owner token (file `api-token` in the data folder), a personal access token, or with `HEADLESS_TOKEN_STRATEGY=jwt` an app's access token",
      },
      app: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Session-Token',
        description:
          'The session token of an app that signed in through `/_allauth/app/v1/`. Ignored if there is an Authorization header.',
      },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'sessionid',
        description:
          'The session of a browser that signed in at `/accounts/login/`. Requests that change something also need the value of the `csrftoken` cookie in the `X-CSRFToken` header. Ignored if one of the other headers is sent.',
      },
    },
  })
}

const INTRODUCTION =
  'Manages the connections of an assistant to chat platforms. Every error has the same shape: a message for people and a stable code for programs. Times are milliseconds since the Unix epoch.'

const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  description: 'The shape of every error',
  properties: {
    ok: { const: false },
    error: { type: 'string', description: 'Message for people' },
    code: { type: 'string', description: 'Stable code for programs' },
    field: { type: 'string', description: "Name of the affected field; only for the assistant's settings" },
    reason: { type: 'string', description: "With `assistant_failed`: the assistant's own code" },
    flows: {
      type: 'array',
      items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      description: "With `reauthentication_required`: flows of the accounts' JSON API, one of which is needed",
    },
  },
  required: ['ok', 'error', 'code'],
  additionalProperties: false,
}

function toOperation(route: Described, schemas: Record<string, JsonObject>): ApiOperation {
  const type = route.stream === true ? 'text/event-stream' : 'application/json'
  const answers = Object.entries(route.answers).map(
    ([status, { description, schema }]) =>
      [status, { description, type, schema: toJsonSchema(schema, 'output', schemas) }] as const,
  )
  const { body } = route
  return {
    id: route.id,
    method: route.method,
    path: route.path,
    tag: route.tag,
    summary: route.summary,
    description: `Requires the scope \`${route.scope}\`.`,
    parameters: [...pathParameters(route), ...queryParameters(route, schemas)],
    ...(body && { body: { required: body.optional !== true, schema: toJsonSchema(body.schema, 'input', schemas) } }),
    answers: Object.fromEntries(answers),
    errors: [...new Set(listRouteErrors(route))].map((code) => {
      const entry = errorNamed(code)
      if (entry === undefined) throw new Error(`${route.id} lists the unknown error ${code}`)
      return { code, status: entry.status, message: entry.message }
    }),
  }
}

function pathParameters(route: Described): readonly JsonObject[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: name === 'platform' ? { type: 'string', examples: [...PLATFORM_IDS] } : { type: 'string' },
  }))
}

function queryParameters(route: Described, schemas: Record<string, JsonObject>): readonly JsonObject[] {
  return Object.entries(route.query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    // The shape of an object schema is typed loosely by zod; every member is a schema.
    schema: toJsonSchema(schema as z.ZodType, 'input', schemas),
  }))
}

/** Converts a schema to JSON Schema. Schemas with an id become components. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, JsonObject>): JsonObject {
  const generated: unknown = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { target: 'draft-2020-12', io })).replaceAll('#/$defs/', SCHEMA_REFERENCES),
  )
  const {
    $schema: _dialect,
    $defs,
    ...own
  } = generated as { $schema?: unknown; $defs?: Record<string, JsonObject> } & JsonObject // JSON Schema as zod makes it
  Object.assign(schemas, $defs)
  return own
}
