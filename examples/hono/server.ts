import { createAuth } from '@gatepost/auth'
import { accounts, type AccountsEnv, loginRequired, verifiedEmailRequired } from '@gatepost/auth/hono'
import { openDatabase } from '@gatepost/sql'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { folder: { type: 'string' }, port: { type: 'string', default: '3000' } } })
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'accounts-'))
mkdirSync(folder, { recursive: true })

/** Stored next to the database, so that sessions survive a restart. */
function loadSecretKey(): string {
  const file = join(folder, 'secret.key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

const database = await openDatabase({ file: join(folder, 'accounts.sqlite') })
const auth = await createAuth({
  database,
  secretKey: loadSecretKey(),
  // In production, set `origin: 'https://id.example.org'` and a mail server, and leave out `development`.
  settings: {
    development: true,
    emailBackend: 'console',
    siteName: 'Hono example',
    loginRedirectUrl: '/members/',
    account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], emailVerification: 'optional' },
  },
})

const LINKS = `<p><a href="/members/">Members</a> · <a href="/verified/">Verified members</a> · <a href="/api/me">JSON</a></p>
<p><a href="/accounts/signup/">Sign up</a> · <a href="/accounts/login/">Sign in</a> · <a href="/accounts/logout/">Sign out</a></p>`
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
const page = (text: string): string => `<!doctype html><title>Hono</title><h1>${escapeHtml(text)}</h1>${LINKS}`

const app = new Hono<AccountsEnv>()
app.use(accounts(auth))
app.get('/', (c) => c.html(page(`Hello ${c.var.identity?.user.username ?? 'stranger'}`)))
app.get('/members/', loginRequired(auth), (c) => c.html(page(`Welcome, ${c.var.identity.user.username}`)))
app.get('/verified/', verifiedEmailRequired(auth), (c) => c.html(page(`${c.var.identity.user.email} is verified`)))
app.get('/api/me', (c) => {
  if (c.var.identity === null) return c.json({ code: 'login_required' }, 401)
  const { username, email } = c.var.identity.user
  return c.json({ username, email })
})

const server = serve({ fetch: app.fetch, port: Number(values.port), hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}/ (data in ${folder})`)
})

async function stop(): Promise<void> {
  await new Promise((resolve) => server.close(resolve))
  await auth.close()
  await database.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
