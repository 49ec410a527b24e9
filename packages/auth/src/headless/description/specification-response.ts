import type { JsonObject } from '@gatepost/openapi'
import { AuthError } from '../../errors.ts'
import { jsonResponse, ownResponse } from '../../kernel/http/responses.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { DescriptionFormat } from '../api-address.ts'
import type { Headless } from '../headless.ts'
import { describeApi } from './openapi.ts'

/**
 * Returns the API description as JSON, as YAML 1.2 (of which JSON is a subset), or as an HTML page.
 * @throws {AuthError} `not_found` for HTML if the settings name no template, `method_not_allowed`
 */
export async function specificationResponse(
  headless: Headless,
  request: Visit,
  format: DescriptionFormat,
): Promise<Response> {
  const template = headless.kernel.settings.headless.specificationTemplateName
  if (format === 'html' && template === null) throw new AuthError('not_found')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new AuthError('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  const api = await describeApi(headless, request)
  if (format === 'json') return jsonResponse(api, 200)
  if (format === 'html')
    return renderSpecification(headless, request, stripExtension(template ?? ''), descriptionPage(api))
  const headers = { 'content-type': 'application/yaml; charset=utf-8' }
  return ownResponse(`${JSON.stringify(api, null, 2)}\n`, { status: 200, headers })
}

/** Strips the extension, which the setting includes, as in the reference. */
const stripExtension = (name: string): string => name.replace(/\.\w+$/, '')

async function renderSpecification(
  headless: Headless,
  request: Visit,
  template: string,
  context: object,
): Promise<Response> {
  const html = await headless.kernel.templates.page(
    template,
    {
      ...context,
      request: { path: request.url.pathname, method: request.method, language: request.language },
      site: request.site,
      openapi_url: `${headless.kernel.settings.headless.path}openapi.json`,
      asset: (name: string) => `${headless.kernel.settings.pathPrefix}assets/${name}`,
      url: (name: string) => headless.kernel.url(name),
      has: (name: string) => headless.kernel.has(name),
    },
    request.t,
  )
  const policy = buildPolicy(html)
  return ownResponse(html, {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(policy !== null && { 'content-security-policy': policy }),
    },
  })
}

/**
 * Returns a content security policy that allows the origins in the page's `script` and `link` elements, since a host's
 * template may load a viewer from elsewhere. Returns `null` for a page without such origins, which gets the default policy. @see W3C,
 * "Content Security Policy Level 3"
 */
function buildPolicy(html: string): string | null {
  const urls = [...html.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)=["']?((?:https:)?\/\/[^"'\s>]+)/gi)]
  const origins = new Set(
    urls.flatMap(([, url = '']) =>
      URL.canParse(url, 'https://localhost') ? [new URL(url, 'https://localhost').origin] : [],
    ),
  )
  if (origins.size === 0) return null
  const from = [...origins].join(' ')
  return `default-src 'none'; script-src 'self' ${from}; style-src 'self' 'unsafe-inline' ${from}; font-src 'self' ${from}; img-src 'self' data: https:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}

/** A row of a table of inputs. */
interface Row {
  readonly name: string
  readonly kind: string
  readonly about: string
  readonly required: boolean
}

/** An operation on the description page. */
interface ShownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly input: readonly Row[]
  /** The sample input as formatted JSON, or an empty string for an operation without input. */
  readonly example: string
  readonly answers: readonly { readonly status: string; readonly about: string; readonly schema: string }[]
}

/** Context of the page template, without `openapi_url`. */
export interface DescriptionPage {
  readonly title: string
  readonly about: string
  readonly tags: readonly { readonly name: string; readonly operations: readonly ShownOperation[] }[]
  /** The schemas of responses, with an example or the schema itself as JSON. */
  readonly schemas: readonly { readonly name: string; readonly about: string; readonly json: string }[]
}

/** Converts a document for the description page, in path order. */
function descriptionPage(api: JsonObject): DescriptionPage {
  const operations = Object.entries(object(api['paths'])).flatMap(([path, item]) =>
    Object.entries(object(item))
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({
        tag: toItems(object(operation)['tags']).join(),
        shown: toShownOperation(path, method, operation),
      })),
  )
  const info = object(api['info'])
  return {
    title: stripBackticks(info['title']),
    about: stripBackticks(info['description']),
    tags: Array.from(
      Map.groupBy(operations, ({ tag }) => tag),
      ([name, group]) => ({
        name,
        operations: group.map((one) => one.shown),
      }),
    ),
    schemas: Object.entries(object(object(api['components'])['schemas'])).map(([name, schema]) => {
      const { examples, description, ...rest } = object(schema)
      return { name, about: stripBackticks(description), json: JSON.stringify(toItems(examples)[0] ?? rest, null, 2) }
    }),
  }
}

function toShownOperation(path: string, method: string, operation: unknown): ShownOperation {
  const { operationId, summary, parameters, requestBody, responses } = object(operation)
  const content = object(object(object(requestBody)['content'])['application/json'])
  const schema = object(content['schema'])
  return {
    id: stripBackticks(operationId),
    method: method.toUpperCase(),
    path,
    summary: stripBackticks(summary),
    input: [
      ...toItems(parameters).map((parameter) => parameterRow(object(parameter))),
      ...Object.entries(object(schema['properties'])).map(([name, member]) => memberRow(name, object(member), schema)),
    ],
    example: content['example'] === undefined ? '' : JSON.stringify(content['example'], null, 2),
    answers: Object.entries(object(responses)).map(([status, answer]) => ({
      status,
      about: stripBackticks(object(answer)['description']),
      schema: schemaName(object(answer)),
    })),
  }
}

const parameterRow = ({ name, in: place, description, required }: JsonObject): Row => ({
  name: stripBackticks(name),
  kind: place === 'header' ? 'header' : 'query',
  about: stripBackticks(description),
  required: required === true,
})

const memberRow = (name: string, { type, format, description }: JsonObject, schema: JsonObject): Row => ({
  name,
  kind: stripBackticks(format) || stripBackticks(type),
  about: stripBackticks(description),
  required: toItems(schema['required']).includes(name),
})

const schemaName = ({ content }: JsonObject): string =>
  stripBackticks(object(object(object(content)['application/json'])['schema'])['$ref']).replace(/^.*\//, '')

const object = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
const toItems = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
/** Removes backticks, which the descriptions contain for Markdown. */
const stripBackticks = (value: unknown): string => (typeof value === 'string' ? value.replaceAll('`', '') : '')
