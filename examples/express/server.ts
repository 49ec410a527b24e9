import { createAuth } from '@gatepost/auth'
import { accounts, identityOf, loginRequired, verifiedEmailRequired } from '@gatepost/auth/express'
import { openDatabase } from '@gatepost/sql'
import express from 'express'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
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
    siteName: 'Express example',
    loginRedirectUrl: '/members/',
    account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], emailVerification: 'optional' },
  },
})

const LINKS = `<p><a href="/members/">Members</a> · <a href="/verified/">Verified members</a> · <a href="/api/me">JSON</a></p>
<p><a href="/accounts/signup/">Sign up</a> · <a href="/accounts/login/">Sign in</a> · <a href="/accounts/logout/">Sign out</a></p>`
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
const page = (text: string): string => `<!doctype html><title>Express</title><h1>${escapeHtml(text)}</h1>${LINKS}`

const app = express()
app.use(accounts(auth))
app.get('/', (req, res) => {
  res.send(page(`Hello ${req.identity?.user.username ?? 'stranger'}`))
})
app.get('/members/', loginRequired(auth), (req, res) => {
  res.send(page(`Welcome, ${identityOf(req).user.username}`))
})
app.get('/verified/', verifiedEmailRequired(auth), (req, res) => {
  res.send(page(`${identityOf(req).user.email} is verified`))
})
app.get('/api/me', (req, res) => {
  if (req.identity === null) return void res.status(401).json({ code: 'login_required' })
  const { username, email } = req.identity.user
  res.json({ username, email })
})

const server = createServer(app).listen(Number(values.port), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // it listens on TCP
  console.log(`http://127.0.0.1:${port}/ (data in ${folder})`)
})

async function stop(): Promise<void> {
  await new Promise((resolve) => server.close(resolve))
  await auth.close()
  await database.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
