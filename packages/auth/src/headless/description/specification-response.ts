import type { Headless } from '../headless.ts'
import { AuthError } from '../../errors.ts'
import { jsonResponse } from '../../kernel/http/json-response.ts'
import { ownResponse } from '../../kernel/http/own-response.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { DescriptionFormat } from '../api-address.ts'
import { descriptionPage } from './description-page.ts'
import { describeApi } from './openapi.ts'

/**
 * The description of the API: JSON, the same as YAML 1.2 (of which JSON is a part), or a page for people.
 * @throws {AuthError} `not_found` for the page where the settings have none, `method_not_allowed`
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
  if (format === 'html') return page(headless, request, templateOf(template ?? ''), descriptionPage(api))
  const headers = { 'content-type': 'application/yaml; charset=utf-8' }
  return ownResponse(`${JSON.stringify(api, null, 2)}\n`, { status: 200, headers })
}

/** The setting has the name with its extension, as the reference writes it. */
const templateOf = (name: string): string => name.replace(/\.\w+$/, '')

async function page(headless: Headless, request: Visit, template: string, context: object): Promise<Response> {
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
  const policy = policyFor(html)
  return ownResponse(html, {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      ...(policy !== null && { 'content-security-policy': policy }),
    },
  })
}

/**
 * A host's own template may load a viewer from elsewhere: what it names in `script` and `link` elements is let through.
 * `null`: it names nothing, and the policy of every page holds. @see W3C, "Content Security Policy Level 3"
 */
function policyFor(html: string): string | null {
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
