import type { Members } from './shape.ts'

/** Returns a JSON response. */
export const jsonReply = (status: number, body: unknown, contentType = 'application/json'): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': contentType, 'cache-control': 'no-store' } })

/** Returns a form-encoded response. */
export function formReply(status: number, body: Members): Response {
  const form = new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]))
  return new Response(form.toString(), { status, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
}

/** Returns a text for people. */
export const textReply = (status: number, text: string): Response =>
  new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/** Redirects the browser, with added parameters. */
export function redirectReply(target: string, parameters: Readonly<Record<string, string | null>>): Response {
  const url = new URL(target)
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.append(name, value)
  return new Response(null, { status: 302, headers: { location: url.href, 'cache-control': 'no-store' } })
}

/** Escapes text for HTML. */
/** Escapes a text for HTML. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns a page that posts a form to another site. OAuth 2.0 Form Post Response Mode, section 2 */
export function formPostReply(target: string, parameters: Readonly<Record<string, string | null>>): Response {
  const inputs = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== null)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
  const html = `<!doctype html><html lang="en"><title>Redirecting</title><body>
<form method="post" action="${escapeHtml(target)}">${inputs.join('')}<button>Continue</button></form>
<script>document.forms[0].submit()</script></body></html>`
  return new Response(html, { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** Decodes percent-encoding; invalid text stays unchanged. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // an invalid encoding matches nothing
  }
}
