import type { AppEnv } from './app-options.ts'
import { securePage } from './pages.ts'
import type { ChannelSetups, SetupState } from '@gatepost/channels'
import encodeQR from 'qr'
import type { Hono } from 'hono'
import { html, raw } from 'hono/html'

/** States that the page shows, in Weixin's own words. */
type LoginState = 'waiting' | 'scanned' | 'confirmed' | 'expired' | 'failed'

const STATES: Readonly<Record<SetupState | 'expired', LoginState>> = {
  starting: 'waiting',
  waiting: 'waiting',
  scanned: 'scanned',
  input_needed: 'scanned',
  working: 'scanned',
  watching: 'confirmed',
  done: 'confirmed',
  failed: 'failed',
  expired: 'expired',
}

/** Maximum URL length in bytes, well within the capacity of a QR code. */
const URL_MAX = 1_000
/** Validity of Weixin's codes, in seconds. */
const LIFE_SECONDS = 300

/**
 * `GET /weixin-qr.html?url=…&since=…`: shows a QR code and the state of its sign-in. Public: it only reveals the state to
 * someone who has the code, and it shows only Weixin's own codes, so that it can't be used to vouch for another site's.
 * `since` is a Unix timestamp in seconds; earlier sign-ins don't count.
 */
export function weixinQrRoutes(
  app: Hono<AppEnv>,
  setups: Pick<ChannelSetups, 'findStateByCode' | 'isCode'>,
  nowMs: () => number,
): void {
  app.get('/weixin-qr.html', (c) => {
    c.set('routeId', 'weixin_qr')
    const url = parseCodeUrl(c.req.query('url'), setups)
    if (url === null) return securePage(c, problem(), 400)
    const since = parseSince(c.req.query('since')) ?? Math.floor(nowMs() / 1_000)
    return securePage(c, page(url, since), 200)
  })
  app.get('/weixin-qr/state', (c) => {
    c.set('routeId', 'weixin_qr_state')
    const url = parseCodeUrl(c.req.query('url'), setups)
    const since = parseSince(c.req.query('since'))
    c.header('cache-control', 'no-store')
    if (url === null || since === null)
      return c.json(
        { ok: false, error: 'The parameters url (a QR code of Weixin) and since are required.', code: 'invalid_query' },
        400,
      )
    const state = setups.findStateByCode(url, since * 1_000)
    const old = nowMs() / 1_000 > since + LIFE_SECONDS
    return c.json({ ok: true, state: state === null ? (old ? 'expired' : 'waiting') : STATES[state] })
  })
}

/** Parses the URL to encode: only a web address that Weixin or one of our setups gave. */
function parseCodeUrl(given: string | undefined, setups: Pick<ChannelSetups, 'isCode'>): string | null {
  if (given === undefined || Buffer.byteLength(given) > URL_MAX || !URL.canParse(given)) return null
  const { protocol } = new URL(given)
  return (protocol === 'https:' || protocol === 'http:') && setups.isCode(given) ? given : null
}

function parseSince(given: string | undefined): number | null {
  if (given === undefined || !/^\d{1,13}$/.test(given)) return null
  const value = Number(given)
  // some clients send milliseconds
  return value > 100_000_000_000 ? Math.floor(value / 1_000) : value
}

type Markup = ReturnType<typeof html>

const frame = (title: string, content: Markup): Markup => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
    <link rel="icon" href="assets/mark.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="assets/page.css" />
    <script type="module" src="assets/weixin-qr.js"></script>
  </head>
  <body class="scan">
    <main>${content}</main>
  </body>
</html>
`

const page = (url: string, since: number): Markup =>
  frame(
    'Connect Weixin',
    html`<h1>Connect Weixin</h1>
      <p class="lead">Open Weixin on your phone, tap <strong>+</strong>, then <strong>Scan</strong>, and point it here.</p>
      <div class="code" role="img" aria-label="QR code to scan with Weixin">
        ${raw(encodeQR(url, 'svg', { ecc: 'medium', border: 4 }))}
      </div>
      <p id="state" class="state" role="status" data-url="${url}" data-since="${since}" data-state="waiting">
        Waiting for the scan
      </p>
      <p class="aside"><a href="${url}" rel="noreferrer">On the phone already? Open the link</a></p>`,
  )

const problem = (): Markup =>
  frame(
    'No code to show',
    html`<h1>No code to show</h1>
      <p class="lead">The address of this page must include <code>url=</code> with the address of a Weixin QR code.</p>
      <pre><code>npx gatepost setup weixin</code></pre>`,
  )
