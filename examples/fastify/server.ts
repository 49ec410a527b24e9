import { createAuth } from '@gatepost/auth'
import { accounts, identityOf, loginRequired, verifiedEmailRequired } from '@gatepost/auth/fastify'
import { openDatabase } from '@gatepost/sql'
import fastify from 'fastify'
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
    siteName: 'Fastify example',
    loginRedirectUrl: '/members/',
    account: { loginMethods: ['email'], signupFields: ['email*', 'password1*'], emailVerification: 'optional' },
  },
})

const LINKS = `<p><a href="/members/">Members</a> · <a href="/verified/">Verified members</a> · <a href="/api/me">JSON</a></p>
<p><a href="/accounts/signup/">Sign up</a> · <a href="/accounts/login/">Sign in</a> · <a href="/accounts/logout/">Sign out</a></p>`
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
const page = (text: string): string => `<!doctype html><title>Fastify</title><h1>${escapeHtml(text)}</h1>${LINKS}`

const app = fastify()
await app.register(accounts(auth))
app.get('/', async (request, reply) => {
  reply.type('text/html')
  return page(`Hello ${request.identity?.user.username ?? 'stranger'}`)
})
app.get('/members/', { preHandler: loginRequired(auth) }, async (request, reply) => {
  reply.type('text/html')
  return page(`Welcome, ${identityOf(request).user.username}`)
})
app.get('/verified/', { preHandler: verifiedEmailRequired(auth) }, async (request, reply) => {
  reply.type('text/html')
  return page(`${identityOf(request).user.email} is verified`)
})
app.get('/api/me', async (request, reply) => {
  if (request.identity === null) return reply.code(401).send({ code: 'login_required' })
  const { username, email } = request.identity.user
  return { username, email }
})

const address = await app.listen({ port: Number(values.port), host: '127.0.0.1' })
console.log(`${address}/ (data in ${folder})`)

async function stop(): Promise<void> {
  await app.close()
  await auth.close()
  await database.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
