/** A JSON object of a document. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A response of an operation. */
export interface ApiResponse {
  readonly description: string
  readonly schema: JsonObject
  /** Content type; default `application/json`. */
  readonly type?: string
  readonly headers?: JsonObject
}

/** A stable error code with its HTTP status and message. */
export interface ApiError {
  readonly code: string
  readonly status: number
  readonly message: string
}

/** An operation of an HTTP API. Schemas are JSON Schema 2020-12. */
export interface ApiOperation {
  /** Unique in the API. */
  readonly id: string
  /** In upper case. */
  readonly method: string
  /** With parameters in braces, e.g. `/api/channels/{platform}`. */
  readonly path: string
  /** Parameters of all operations with this path. */
  readonly pathParameters?: readonly JsonObject[]
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly JsonObject[]
  readonly body?: { readonly required: boolean; readonly schema: JsonObject; readonly example?: unknown }
  readonly answers: Readonly<Record<number, ApiResponse>>
  /** Errors whose responses have the `errorSchema` of the API. They are listed by status. */
  readonly errors?: readonly ApiError[]
  /** Alternative security requirements; default: those of the API. */
  readonly security?: readonly JsonObject[]
}

/** An HTTP API. */
export interface ApiDescription {
  /** Version of the OpenAPI Specification, e.g. `3.1.0`. */
  readonly openapi: string
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly security?: readonly JsonObject[]
  /** In the order of the document. Operations with the same path are grouped. */
  readonly operations: readonly ApiOperation[]
  readonly errorSchema?: JsonObject
  /** Schemas by name. Unreferenced ones are omitted. */
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly securitySchemes: JsonObject
}

/** The prefix of a schema's `$ref`, followed by its name. */
export const SCHEMA_REFERENCES = '#/components/schemas/'

/** Generates the OpenAPI document of an API. @see OpenAPI Specification 3.1.1 */
export function createOpenApiDocument(api: ApiDescription): JsonObject {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of api.operations) {
    const { path, method, pathParameters } = operation
    const item = (paths[path] ??= pathParameters === undefined ? {} : { parameters: pathParameters })
    item[method.toLowerCase()] = toOperationObject(operation, api.errorSchema ?? {})
  }
  return {
    openapi: api.openapi,
    info: api.info,
    servers: api.servers,
    tags: api.tags,
    ...(api.security !== undefined && { security: api.security }),
    paths,
    components: { schemas: selectUsed(api.schemas, paths), securitySchemes: api.securitySchemes },
  }
}

function toOperationObject(operation: ApiOperation, errorSchema: JsonObject): JsonObject {
  const { id, tag, summary, description, parameters, body, answers, errors = [], security } = operation
  const responses = Object.entries(answers).map(([status, response]) => [status, toResponse(response)] as const)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(body !== undefined && { requestBody: toRequestBody(body) }),
    ...(security !== undefined && { security }),
    responses: Object.fromEntries([...responses, ...toErrorResponses(errors, errorSchema)]),
  }
}

const toRequestBody = ({ required, ...content }: NonNullable<ApiOperation['body']>): JsonObject => ({
  required,
  content: { 'application/json': content },
})

const toResponse = ({ description, headers, type = 'application/json', schema }: ApiResponse): JsonObject => ({
  description,
  ...(headers !== undefined && { headers }),
  content: { [type]: { schema } },
})

/** Returns one response per status, listing its codes. */
const toErrorResponses = (
  errors: readonly ApiError[],
  schema: JsonObject,
): readonly (readonly [string, JsonObject])[] =>
  [...Map.groupBy(errors, ({ status }) => String(status))].map(([status, ofStatus]) => [
    status,
    toResponse({ description: ofStatus.map(({ code, message }) => `\`${code}\`: ${message}`).join('\n'), schema }),
  ])

const REFERENCE = new RegExp(`"${SCHEMA_REFERENCES}([^"]+)"`, 'g')

/** Returns the referenced schemas, in order. */
function selectUsed(schemas: ApiDescription['schemas'], from: unknown): ApiDescription['schemas'] {
  const names = new Set<string>()
  const follow = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(REFERENCE)) {
      if (names.has(name)) continue
      names.add(name)
      follow(schemas[name] ?? {})
    }
  }
  follow(from)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)))
}
