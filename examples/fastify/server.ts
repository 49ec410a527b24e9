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

/** Kept beside the database: whoever is signed in stays so over a restart. */
function secretKey(): string {
  const file = join(folder, 'secret.key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

const database = await openDatabase({ file: join(folder, 'accounts.sqlite') })
const auth = await createAuth({
  database,
  secretKey: secretKey(),
  // For the world outside: `origin: 'https://id.example.org'`, a mail server, and no `development`.
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
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
const page = (text: string): string => `<!doctype html><title>Fastify</title><h1>${escaped(text)}</h1>${LINKS}`

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
  return page(`${identityOf(request).user.email} is yours`)
})
app.get('/api/me', async (request, reply) => {
  if (request.identity === null) return reply.code(401).send({ code: 'login_required' })
  const { username, email } = request.identity.user
  return { username, email }
})

const address = await app.listen({ port: Number(values.port), host: '127.0.0.1' })
console.log(`${address}/ with its data in ${folder}`)

async function stop(): Promise<void> {
  await app.close()
  await auth.close()
  await database.close()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
