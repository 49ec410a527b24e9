import { afterEach, describe, expect, it } from 'vitest'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { ADA, PASSWORD } from '../testing/effects/effect.ts'
import type { Visitor } from '../testing/visitor.ts'

const SESSIONS = '/accounts/sessions/'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'

let world: AuthWorld
const open = async (rateLimits = {}): Promise<void> => {
  world = await authWorld({ settings: { usersessions: { enabled: true }, account: { rateLimits } } })
  await world.addUser(ADA)
}
afterEach(() => world.close())

async function member(as: Parameters<AuthWorld['visitor']>[0] = {}, username = ADA.username): Promise<Visitor> {
  const visitor = world.visitor(as)
  await visitor.login(username, PASSWORD)
  return visitor
}

/** The id of the session that a row with this text ends. */
const findSessionIdInRow = (html: string, text: string): string =>
  Array.from(html.matchAll(/<li class="auth-row">[\s\S]*?<\/li>/g), ([row]) => row)
    .filter((row) => row.includes(text))
    .flatMap((row) => /name="session" value="(\d+)"/.exec(row)?.[1] ?? [])[0] ?? 'none'

describe('the page of sessions', () => {
  it('shows each with device, place and last activity, this one first', async () => {
    await open()
    const other = await member({ userAgent: '<script>x', ip: '198.51.100.9' })
    const here = await member({ userAgent: FIREFOX, ip: '203.0.113.7' })
    world.clock.advance(3 * 60_000)
    await here.get(SESSIONS)
    const { text, html } = await here.get(SESSIONS)
    expect(text).toMatch(/Firefox on Linux This browser IP address: 203\.0\.113\.7 .*198\.51\.100\.9/)
    expect(text).toMatch(/Last active: (now|3 minutes ago) · Signed in: 3 minutes ago/)
    expect(html).toContain('&lt;script&gt;x')
    expect(findSessionIdInRow(html, 'This browser')).toBe('none')
    expect(await other.whoami()).toBe('ada')
  })

  it('ends one', async () => {
    await open()
    const [phone, tablet, here] = [
      await member({ ip: '198.51.100.1' }),
      await member({ ip: '198.51.100.2' }),
      await member(),
    ]
    const id = findSessionIdInRow((await here.get(SESSIONS)).html, '198.51.100.1')
    expect((await here.post(SESSIONS, { session: id })).location).toBe(SESSIONS)
    expect((await here.get(SESSIONS)).text).toContain("You've signed out of the session.")
    expect(await Promise.all([phone, tablet, here].map((visitor) => visitor.whoami()))).toEqual([null, 'ada', 'ada'])
  })

  it('ends all others', async () => {
    await open()
    const [phone, here] = [await member(), await member()]
    expect((await here.post(SESSIONS)).location).toBe(SESSIONS)
    const { text } = await here.get(SESSIONS)
    expect(text).toContain("You've signed out of all other sessions.")
    expect(text).toContain("You're not signed in anywhere else.")
    expect(await Promise.all([phone, here].map((visitor) => visitor.whoami()))).toEqual([null, 'ada'])
  })

  it.each(['999', 'x', '-1', '1 or 1=1'])('ends nothing for the id %s', async (session) => {
    await open()
    const [phone, here] = [await member(), await member()]
    expect((await here.post(SESSIONS, { session })).location).toBe(SESSIONS)
    expect(await Promise.all([phone, here].map((visitor) => visitor.whoami()))).toEqual(['ada', 'ada'])
  })

  it('ends no session of another user', async () => {
    await open()
    await world.addUser({ ...ADA, username: 'eve', email: 'eve@example.org' })
    const [ada, adaToo, eve] = [await member({ ip: '198.51.100.1' }), await member(), await member({}, 'eve')]
    const id = findSessionIdInRow((await adaToo.get(SESSIONS)).html, '198.51.100.1')
    await eve.post(SESSIONS, { session: id })
    expect(await ada.whoami()).toBe('ada')
    expect((await eve.get(SESSIONS)).text).not.toContain('198.51.100.1')
  })

  it('is limited per user', async () => {
    await open({ list_sessions: '1/m/user' })
    const ada = await member()
    expect([(await ada.get(SESSIONS)).status, (await ada.get(SESSIONS)).status]).toEqual([200, 429])
    expect((await ada.post(SESSIONS)).status).toBe(429)
  })

  it('is not for strangers, and not there while the module is off', async () => {
    await open()
    expect((await world.visitor().get(SESSIONS)).location).toBe(`/accounts/login/?next=${SESSIONS}`)
    await world.close()
    world = await authWorld()
    expect((await world.visitor().get(SESSIONS)).status).toBe(404)
  })
})
