import { escapeHtml } from './reply.ts'
import type { EmulatedPerson } from './shape.ts'
import { FIRST_PERSON } from './state.ts'

/** Field of the page's form: what the person answers. */
export const ANSWER_FIELD = 'emulated_answer'
const PERSON_FIELD = 'emulated_person'

/** Others that the page offers besides whoever was set. */
const OTHERS: readonly EmulatedPerson[] = [
  FIRST_PERSON,
  {
    id: '2342',
    email: 'bo@people.example',
    emailVerified: false,
    username: 'bo',
    firstName: 'Bo',
    lastName: 'Bergström',
  },
  { id: '7331', email: null, emailVerified: false, username: 'cy', firstName: 'Cy', lastName: 'Cinar' },
]

const offered = (usual: EmulatedPerson): readonly EmulatedPerson[] => [
  usual,
  ...OTHERS.filter(({ id }) => id !== usual.id),
]

/** Who was chosen; `null` for no. */
export function answerIn(usual: EmulatedPerson, form: URLSearchParams): EmulatedPerson | null {
  if (form.get(ANSWER_FIELD) !== 'allow') return null
  return offered(usual).find(({ id }) => id === form.get(PERSON_FIELD)) ?? usual
}

function choice({ id, email, emailVerified, firstName, lastName }: EmulatedPerson, index: number): string {
  const address = email === null ? 'no address' : `${email}, ${emailVerified ? 'verified' : 'not verified'}`
  return `<label class="choice"><input type="radio" name="${PERSON_FIELD}" value="${escapeHtml(id)}"${index === 0 ? ' checked' : ''}>
<span><strong>${escapeHtml(`${firstName} ${lastName}`)}</strong><small>${escapeHtml(address)}</small></span></label>`
}

/** Asks who signs in, and whether they want to. */
export function askPage(provider: string, client: string, usual: EmulatedPerson): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in: ${escapeHtml(provider)}, emulated</title>
<link rel="icon" href="/demo/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/demo/frame.css">
<link rel="stylesheet" href="/demo/ask.css">
</head>
<body>
<main class="ask">
<header class="brand"><span class="mark" aria-hidden="true"></span><div><h1>${escapeHtml(provider)}</h1><p>Emulated, local and offline</p></div></header>
<p><strong>${escapeHtml(client)}</strong> wants to know who you are.</p>
<form method="post">
<fieldset><legend>Sign in as</legend>${offered(usual).map(choice).join('')}</fieldset>
<div class="answers">
<button class="allow" name="${ANSWER_FIELD}" value="allow">Allow</button>
<button class="refuse" name="${ANSWER_FIELD}" value="refuse">Refuse</button>
</div>
</form>
</main>
</body>
</html>`
  return new Response(html, {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    },
  })
}
