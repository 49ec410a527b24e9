import { type TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD } from '../testing/accounts-world.ts'

/** SQLite serves one process. */
const postgres = testDatabases.filter(([name]) => name === 'postgres')

describe.each(postgres)('two nodes on one %s', (_name, open) => {
  let database: TestDatabase<object>
  let nodes: readonly [AccountsWorld, AccountsWorld]
  beforeEach(async () => {
    database = await open<object>()
    const settings = {
      GATEPOST_DATABASE_URL: String(database.options.url),
      GATEPOST_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    nodes = await Promise.all([accountsWorld(settings), accountsWorld(settings)])
  })
  afterEach(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]()
    await database.close()
  })

  /** The one whose link is valid. */
  async function validNode(): Promise<AccountsWorld> {
    const links = nodes.map((node) => new URL(String(node.gateway().firstAccountUrl)).pathname)
    const opened = await Promise.all(links.map((link) => nodes[0].browser().get(link)))
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([302, 404]))
    return opened[0]?.status === 302 ? nodes[0] : nodes[1]
  }

  /** One person at each node opens the link, then both sign up at once: one of them comes in. */
  async function race(link: string, name: string): Promise<void> {
    const browsers = nodes.map((node) => node.browser())
    for (const browser of browsers) expect((await browser.get(new URL(link).pathname)).status).toBe(302)
    const answers = await Promise.all(
      browsers.map((browser, n) => {
        const fields = { email: `${name}${n}@example.org`, password1: PASSWORD, password2: PASSWORD }
        return browser.submit('/accounts/signup/', fields)
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 302]))
  }

  it('leave one link to the first account, and give it and each invitation to one person', async () => {
    const first = await validNode()
    await race(String(first.gateway().firstAccountUrl), 'first')
    const { body } = await nodes[0].ask('POST', '/api/invitations', { body: {} })
    await race(String(body['url']), 'next')
    const accounts = await nodes[1].ask('GET', '/api/accounts')
    expect(accounts.body).toMatchObject({ items: [{ id: 'owner', user: { staff: true } }, { user: { staff: false } }] })
  })

  it('know the same sessions and tokens, and refuse them at once', async () => {
    await (await validNode()).first()
    const [here, there] = nodes
    const bo = await here.invited('bo@example.org')
    const roaming = there.browser()
    for (const [name, value] of bo.cookies) roaming.cookies.set(name, value)
    const made = (await bo.call('POST', '/api/tokens', { name: 'x' })).json() as { token: string } // the shape of the route, held by its own test
    const states = async (): Promise<readonly number[]> => [
      (await roaming.get('/api/me')).status,
      (await there.ask('GET', '/api/channels', { token: made.token })).status,
    ]
    expect(await states()).toEqual([200, 200])
    const { account } = (await roaming.get('/api/me')).json() as { account: string } // likewise
    await here.ask('PATCH', `/api/accounts/${account}`, { body: { active: false } })
    expect(await states()).toEqual([401, 401])
  })
})
