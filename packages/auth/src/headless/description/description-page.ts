import type { JsonObject } from './json-schemas.ts'

/** One line of a table. */
interface Row {
  readonly name: string
  readonly kind: string
  readonly about: string
  readonly required: boolean
}

/** One operation, as the page of the description shows it. */
interface ShownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly input: readonly Row[]
  /** JSON, on several lines; empty: none. */
  readonly example: string
  readonly answers: readonly { readonly status: string; readonly about: string; readonly schema: string }[]
}

/** What the template of the page is given besides `openapi_url`. */
export interface DescriptionPage {
  readonly title: string
  readonly about: string
  readonly tags: readonly { readonly name: string; readonly operations: readonly ShownOperation[] }[]
  /** `id`: of the element, to be linked to. */
  readonly schemas: readonly { readonly name: string; readonly about: string; readonly json: string }[]
}

/** A description for people, in the order of its paths. */
export function descriptionPage(api: JsonObject): DescriptionPage {
  const operations = Object.entries(object(api['paths'])).flatMap(([path, item]) =>
    Object.entries(object(item))
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        tag: list(object(operation)['tags']).join(),
        shown: shown(path, method, operation),
      })),
  )
  const info = object(api['info'])
  return {
    title: text(info['title']),
    about: text(info['description']),
    tags: Map.groupBy(operations, ({ tag }) => tag)
      .entries()
      .map(([name, group]) => ({ name, operations: group.map((one) => one.shown) }))
      .toArray(),
    schemas: Object.entries(object(object(api['components'])['schemas'])).map(([name, schema]) => {
      const { examples, description, ...rest } = object(schema)
      return { name, about: text(description), json: JSON.stringify(list(examples)[0] ?? rest, null, 2) }
    }),
  }
}

function shown(path: string, method: string, operation: unknown): ShownOperation {
  const { operationId, summary, parameters, requestBody, responses } = object(operation)
  const content = object(object(object(requestBody)['content'])['application/json'])
  const schema = object(content['schema'])
  return {
    id: text(operationId),
    method: method.toUpperCase(),
    path,
    summary: text(summary),
    input: [
      ...list(parameters).map((parameter) => parameterRow(object(parameter))),
      ...Object.entries(object(schema['properties'])).map(([name, member]) => memberRow(name, object(member), schema)),
    ],
    example: content['example'] === undefined ? '' : JSON.stringify(content['example'], null, 2),
    answers: Object.entries(object(responses)).map(([status, answer]) => ({
      status,
      about: text(object(answer)['description']),
      schema: schemaName(object(answer)),
    })),
  }
}

const parameterRow = ({ name, in: place, description, required }: JsonObject): Row => ({
  name: text(name),
  kind: place === 'header' ? 'header' : 'query',
  about: text(description),
  required: required === true,
})

const memberRow = (name: string, { type, format, description }: JsonObject, schema: JsonObject): Row => ({
  name,
  kind: text(format) || text(type),
  about: text(description),
  required: list(schema['required']).includes(name),
})

const schemaName = ({ content }: JsonObject): string =>
  text(object(object(object(content)['application/json'])['schema'])['$ref']).replace(/^.*\//, '')

const object = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/** Marks of code are for Markdown. */
const text = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('`', '') : '')
