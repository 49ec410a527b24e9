import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld } from '../testing/accounts-world.ts'

const [OLD, NEW, OTHER] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'))
const keys = (...texts: readonly (string | undefined)[]): Readonly<Record<string, string>> => ({
  GATEPOST_SECRET_KEY: texts.join(),
})

/** Columns with sealed texts that the service writes itself. */
const SEALED = [
  ['gatepost_session', 'data'],
  ['gatepost_artifact', 'payload'],
  ['gatepost_mail', 'message'],
  ['mfa_authenticator', 'data'],
  ['socialaccount_socialapp', 'secret'],
  ['socialaccount_socialapp', 'settings'],
  ['gateway_assistant', 'sealed'],
] as const

describe.each(testDatabases)('rotating the secret keys on %s', (name, open) => {
  let database: TestDatabase<object> | null
  let world: AccountsWorld
  beforeEach(async () => {
    database = name === 'postgres' ? await open<object>() : null
    const url = database === null ? {} : { GATEPOST_DATABASE_URL: String(database.options.url) }
    world = await accountsWorld({ ...url, ...keys(OLD) })
  })
  afterEach(async () => {
    await world[Symbol.asyncDispose]()
    await database?.close()
  })

  const kernel = () => world.gateway().accounts.auth.kernel
  async function stored(): Promise<readonly string[]> {
    const texts: string[] = []
    for (const [table, column] of SEALED) {
      const { rows } = await sql<{ text: string | null }>`
        select cast(${sql.ref(column)} as text) as text from ${sql.table(table)}`.execute(kernel().database.db)
      texts.push(...rows.flatMap(({ text }) => (text === null ? [] : [text])))
    }
    return texts
  }
  /** The ID with which texts that this process seals begin. */
  const keyId = (): string => String(kernel().sealer.seal('x', 'y').split('.')[0])
  const count = async (id: string): Promise<number> => (await stored()).filter((text) => text.includes(id)).length
  async function rotate(): Promise<Readonly<Record<string, unknown>>> {
    let view = await world.ask('POST', '/api/keys/rotation')
    while (view.body['state'] === 'running') view = await world.ask('GET', '/api/keys/rotation')
    return view.body
  }
  async function fill(): Promise<void> {
    const { sealer, database, artifacts } = kernel()
    const { db } = database
    await artifacts.put(db, 'test', 'a', { payload: { of: 'an artifact' }, expiresAtMs: world.nowMs() + 9e9 })
    const { id } = await db.selectFrom('auth_user').select('id').executeTakeFirstOrThrow()
    const data = { secret: `sealed:${sealer.seal('totp', 'gatepost second factor')}`, name: 'sealed:by.its.name' }
    const at = new Date(world.nowMs()).toISOString()
    await sql`insert into mfa_authenticator (user_id, type, data, created_at)
      values (${id}, 'totp', ${JSON.stringify(data)}, ${at})`.execute(db)
    const app = { provider: 'github', client_id: 'x', name: 'X', secret: 'made-up-secret' }
    expect((await world.ask('POST', '/api/admin/social-apps', { body: app })).status).toBeLessThan(300)
    const endpoint = { kind: 'openai', base_url: 'https://llm.example.org/v1', model: 'm', api_key: 'made-up-api-key' }
    expect((await world.ask('PATCH', '/api/assistant', { body: endpoint })).status).toBe(200)
  }

  it('encrypts everything again, and keeps users signed in', async () => {
    const ann = await world.first()
    await fill()
    const oldId = keyId()
    expect(await count(oldId)).toBeGreaterThanOrEqual(4)

    await world.restart(keys(NEW, OLD))
    expect(await count(oldId)).toBeGreaterThanOrEqual(4)
    expect(await rotate()).toMatchObject({ state: 'done', unreadable: 0 })
    expect(await count(oldId)).toBe(0)
    expect(await rotate()).toMatchObject({ state: 'done', resealed: 0, unreadable: 0 })

    await world.restart(keys(NEW))
    expect(await ann.get(`${world.gateway().url}/api/me`)).toMatchObject({ status: 200 })
    expect((await world.ask('GET', '/api/assistant')).body).toMatchObject({ has_api_key: true })
    const { artifacts, database, sealer } = kernel()
    expect(await artifacts.get(database.db, 'test', 'a', world.nowMs())).toMatchObject({
      payload: { of: 'an artifact' },
    })
    const row = (await stored()).find((text) => text.includes('by.its.name'))
    const { secret } = JSON.parse(String(row)) as { readonly secret: string } // as written above
    expect(sealer.open(secret.slice('sealed:'.length), 'gatepost second factor')).toBe('totp')
  })

  it('refuses to start without a key that is still needed, unless it is lost', async () => {
    await world.first()
    await world.restart(keys(NEW, OLD))
    const message = /encrypted with keys that are missing \(IDs: [0-9a-f]{12}.*keys rotate/
    await expect(world.restart(keys(NEW))).rejects.toThrow(message)
    await expect(world.restart(keys(OTHER))).rejects.toThrow(message)
    await world.restart({ ...keys(NEW), GATEPOST_FORGET_LOST_KEYS: 'on' })
    await world.restart(keys(NEW))
  })
})
