// The measured server, in its own process: `node server.ts baseline|auth <file>`. Prints its URL.
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const [kind = '', file = ''] = process.argv.slice(2)
const app = new Hono()

// The resources used so far. The benchmark calculates differences.
app.get('/usage', (c) => {
  const { user, system } = process.cpuUsage()
  return c.json({ cpuMicros: user + system, residentBytes: process.memoryUsage.rss() })
})
app.post('/stop', (c) => {
  setTimeout(() => process.exit(0), 10) // exit normally, so that a profile is written
  return c.json({})
})

if (kind === 'baseline') addBaseline()
else await addAuth()
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(`http://127.0.0.1:${port}`))

/** Adds the baseline, the minimum for identifying a user: a prepared select by key, and JSON. */
function addBaseline(): void {
  const select = new DatabaseSync(file).prepare('select name from baseline where key = ?')
  app.get('/check', (c) => {
    const token = c.req.header('cookie')?.slice('sessionid='.length) ?? ''
    const row = select.get(createHash('sha256').update(token).digest())
    return c.json(row === undefined ? null : { name: row['name'] })
  })
}

async function addAuth(): Promise<void> {
  const [{ createAuth }, { openDatabase }] = await Promise.all([import('@gatepost/auth'), import('@gatepost/sql')])
  const { SECRET_KEY } = await import('./people.ts')
  const database = await openDatabase({ file })
  const settings = { development: true, trustedProxyCount: 1, siteName: 'Bench', headless: { enabled: true } }
  const auth = await createAuth({ database, secretKey: SECRET_KEY, settings, mail: { send: async () => {} } })
  app.get('/check', async (c) => {
    const identity = await auth.identify(c.req.raw)
    return c.json(identity === null ? null : { name: identity.user.username })
  })
  app.all('/accounts/*', (c) => auth.fetch(c.req.raw, { remoteAddress: '127.0.0.1' }))
  app.all('/_allauth/*', (c) => auth.fetch(c.req.raw, { remoteAddress: '127.0.0.1' }))
  // The host's own login: the flow and its visit, without the API.
  app.post('/flow-login', async (c) => {
    const { username, password } = await c.req.json<{ username: string; password: string }>()
    const from = { remoteAddress: '127.0.0.1' }
    const { result, headers } = await auth.visit(c.req.raw, from, async (visit, flows) => {
      await flows.login(visit, { login: username, password })
      return { name: visit.user?.username }
    })
    return c.json(result, { headers: [...headers] })
  })
  addHashing(auth.kernel.passwords)
}

/** Adds logins without their password hash, where every password is correct, and hashes without logins. */
function addHashing(passwords: { verify(password: string, encoded: string): Promise<unknown> }): void {
  const { verify } = passwords
  app.post('/hashing', (c) => {
    const isOn = c.req.query('on') === 'true'
    Object.assign(passwords, { verify: isOn ? verify : async () => ({ ok: true, rehash: false }) })
    return c.json({})
  })
  app.get('/hashes', async (c) => {
    const { hash } = await import('@node-rs/argon2')
    const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
    const endsAtMs = performance.now() + Number(c.req.query('ms'))
    let count = 0
    const beganAtMs = performance.now()
    const lane = async (): Promise<void> => {
      for (; performance.now() < endsAtMs; count += 1) await hash('some password', options)
    }
    await Promise.all(Array.from({ length: Number(c.req.query('atOnce')) }, lane))
    return c.json({ perSecond: (count * 1000) / (performance.now() - beganAtMs) })
  })
}
