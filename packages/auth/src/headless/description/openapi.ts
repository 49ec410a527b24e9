import {
  type ApiOperation,
  type ApiResponse,
  createOpenApiDocument,
  type JsonObject,
  SCHEMA_REFERENCES,
} from '@gatepost/openapi'
import {
  type ApiClient,
  type ApiMethod,
  getMaxLength,
  type InputField,
  MAX_IDS,
} from '../../kernel/operations/declaration.ts'
import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { AuthSettings } from '../../kernel/settings/settings.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Headless } from '../headless.ts'
import { SHAPE_EXAMPLES } from './examples.ts'
import { createSchemas, type Schemas } from './json-schemas.ts'
import { listResponses, type OperationResponse, type OperationResponses, selectClients } from './responses.ts'

/** The inputs of the document. */
interface Described {
  readonly headless: Headless
  readonly visit: Visit
  readonly served: readonly ApiClient[]
}

const METHODS: readonly ApiMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Describes the JSON API of one instance in OpenAPI 3.1: exactly what its settings enable.
 * @param request The current request, because signup fields may depend on it.
 * @see OpenAPI Specification 3.1.1; JSON Schema 2020-12
 */
export async function describeApi(headless: Headless, request: Visit): Promise<JsonObject> {
  const served = headless.kernel.settings.headless.clients
  const described: Described = { headless, visit: request, served }
  const resources = (await headless.loadResources()).filter((resource) => selectClients(resource, served).length > 0)
  return createOpenApiDocument({
    openapi: '3.1.1',
    info: {
      title: `${request.site.name}: accounts`,
      version: '1',
      description: ABOUT,
    },
    servers: [{ url: request.url.origin }],
    tags: [...new Set(resources.map(({ tag }) => tag))].map((name) => ({ name })),
    operations: resources.flatMap((resource) => toOperations(described, resource)),
    schemas: withExamples(await createSchemas(headless, served)),
    securitySchemes: securitySchemes(headless.kernel.settings),
  })
}

const ABOUT =
  'Sign-up, sign-in, and account management. Every response has a `status` and, where they apply, `data`, `meta`, and `errors`. In a 401, `flows` lists the ways to continue.'

/** Returns the path of a resource. Its client is a path parameter if both clients have the resource. */
function toPath({ headless, served }: Described, resource: ApiResource): string {
  const clients = selectClients(resource, served)
  return `${headless.kernel.settings.headless.path}${clients.length > 1 ? '{client}' : clients.join('')}/v1/${resource.path}`
}

/** Returns the operations of a resource, in the order of `METHODS`. */
function toOperations(described: Described, resource: ApiResource): readonly ApiOperation[] {
  const { visit, headless, served } = described
  const clients = selectClients(resource, served)
  const path = toPath(described, resource)
  return METHODS.flatMap((method): readonly ApiOperation[] => {
    const operation = resource.operations[method]
    if (operation === undefined) return []
    const { row } = operation
    const fields = operation.fields(visit)
    const body = fields.filter(({ header }) => header === undefined)
    const parameters = [...fields.flatMap(headerParameter), ...(row.query ?? []).map(queryParameter)]
    return [
      {
        id: row.name,
        method,
        path,
        ...(clients.length > 1 && { pathParameters: [clientParameter(clients)] }),
        tag: row.tag,
        summary: row.summary,
        ...(parameters.length > 0 && { parameters }),
        ...(body.length > 0 && { body: toBody(body, row.example) }),
        answers: toResponses(listResponses(headless, resource, row, { fields, clients }), clients),
        security: toSecurity(headless.kernel.settings, resource, method, clients),
      },
    ]
  })
}

const clientParameter = (clients: readonly ApiClient[]): JsonObject => ({
  name: 'client',
  in: 'path',
  required: true,
  description: '`browser`: cookies carry the session. `app`: tokens do.',
  schema: { type: 'string', enum: clients },
})

const headerParameter = ({ header, about, required }: InputField): readonly JsonObject[] =>
  header === undefined
    ? []
    : [
        {
          name: header,
          in: 'header',
          required,
          ...(about !== undefined && { description: about }),
          schema: { type: 'string' },
        },
      ]

const queryParameter = (name: string): JsonObject => ({
  name,
  in: 'query',
  description: 'Applies if present, whatever its value.',
  allowEmptyValue: true,
  schema: { type: 'string' },
})

function toBody(
  fields: readonly InputField[],
  example: Readonly<Record<string, unknown>> = {},
): NonNullable<ApiOperation['body']> {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const fitting = Object.entries(example).filter(([name]) => fields.some((field) => field.name === name))
  const isWhole = required.every((name) => fitting.some(([given]) => given === name))
  return {
    required: required.length > 0,
    schema: {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
      ...(required.length > 0 && { required }),
    },
    ...(isWhole && fitting.length > 0 && { example: Object.fromEntries(fitting) }),
  }
}

function fieldSchema(field: InputField): JsonObject {
  const { kind, required, about } = field
  const description = about === undefined ? {} : { description: about }
  const length = { maxLength: getMaxLength(field) }
  const filled = required ? { minLength: 1 } : {}
  switch (kind) {
    case 'text':
      return { type: 'string', ...filled, ...length, ...description }
    case 'email':
    case 'password':
      return { type: 'string', format: kind, ...filled, ...length, ...description }
    case 'boolean':
    case 'object':
      return { type: kind, ...description }
    case 'json':
      return { type: 'object', ...description }
    case 'id':
      return { type: 'integer', ...description }
    case 'ids':
      return {
        type: 'array',
        items: { type: 'integer' },
        ...(required && { minItems: 1 }),
        maxItems: MAX_IDS,
        ...description,
      }
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  200: 'Success.',
  202: 'Accepted; it takes effect once verified.',
  400: 'The input is invalid.',
  401: 'Not signed in, another step is required, or the user must confirm their identity. `flows` lists the ways to continue.',
  403: "Couldn't determine the client's IP address.",
  404: 'Not found.',
  409: 'Other requests changed the session at the same time. Try again.',
  410: 'The session has ended. Delete the token and start over.',
  413: 'The body is too large.',
  429: 'Too many requests.',
}
/** Descriptions of responses that the operation itself declares, where they differ. */
const OWN_MEANINGS: Readonly<Record<string, string>> = {
  403: 'Not allowed.',
  409: 'Not possible in the current state.',
}

const toResponses = (responses: OperationResponses, clients: readonly ApiClient[]): ApiOperation['answers'] =>
  Object.fromEntries(
    Object.entries(responses).flatMap(([status, response]) =>
      response === undefined ? [] : [[status, toResponse(status, response, clients)]],
    ),
  )

function toResponse(
  status: string,
  { shape, codes, isOwn }: OperationResponse,
  clients: readonly ApiClient[],
): ApiResponse {
  const special = shape === 'Authenticated' ? 'Signed in.' : isOwn ? OWN_MEANINGS[status] : undefined
  const meaning = special ?? MEANINGS[status] ?? 'Other.'
  const csrf =
    status === '403' && clients.includes('browser')
      ? ' If the CSRF token is missing, the response is an HTML page.'
      : ''
  return {
    description: `${meaning}${csrf}`,
    ...(status === '429' && {
      headers: {
        'Retry-After': { description: 'Seconds until the next attempt is allowed.', schema: { type: 'integer' } },
      },
    }),
    schema: { $ref: `${SCHEMA_REFERENCES}${shape}`, ...(codes.length > 0 && withCodes(codes)) },
  }
}

/** Narrows the `code` of errors. @see JSON Schema 2020-12 section 8.2.3.1: a schema can have more than `$ref` */
const withCodes = (codes: readonly string[]): JsonObject => {
  const error = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
  return { type: 'object', properties: { errors: { type: 'array', items: error } } }
}

const withExamples = (schemas: Schemas): Schemas =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example: unknown = Object.entries(SHAPE_EXAMPLES).find(([known]) => known === name)?.[1]
      return [name, example === undefined ? schema : { ...schema, examples: [example] }]
    }),
  )

/** Returns how callers authenticate. @see OpenAPI Specification 3.1.1, 4.8.27 */
function securitySchemes({ headless, sessionCookieName }: AuthSettings): JsonObject {
  return {
    ...(headless.clients.includes('app') && {
      sessionToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-Session-Token',
        description: 'The latest `meta.session_token`.',
      },
    }),
    ...(hasAccessTokens(headless) && {
      accessToken: {
        type: 'http',
        scheme: headless.jwtAuthorizationHeaderScheme.toLowerCase(),
        bearerFormat: 'JWT',
        description: '`meta.access_token`, available once signed in.',
      },
    }),
    ...(headless.clients.includes('browser') && {
      sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionCookieName },
      csrfToken: {
        type: 'apiKey',
        in: 'header',
        name: 'X-CSRFToken',
        description: 'The value of the `csrftoken` cookie, which every response to a browser sets.',
      },
    }),
  }
}

const hasAccessTokens = ({ clients, tokenStrategy }: AuthSettings['headless']): boolean =>
  clients.includes('app') && tokenStrategy === 'jwt'

/** Returns the alternative security requirements of an operation. */
function toSecurity(
  { headless }: AuthSettings,
  { access }: ApiResource,
  method: ApiMethod,
  clients: readonly ApiClient[],
): readonly JsonObject[] {
  const csrf = method === 'GET' ? {} : { csrfToken: [] }
  const nobody = access === 'auth' ? [] : [clients.includes('app') ? {} : csrf]
  return [
    ...nobody,
    ...(clients.includes('app') ? [{ sessionToken: [] }] : []),
    ...(clients.includes('app') && hasAccessTokens(headless) ? [{ accessToken: [] }] : []),
    ...(clients.includes('browser') ? [{ sessionCookie: [], ...csrf }] : []),
  ]
}
