import { afterEach, describe, expect, it } from 'vitest'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { apiBench, type ApiBench, readPath, type Person } from '../../testing/api-bench.ts'
import { everywhere, statusAndErrors } from '../../testing/api-cases.ts'
import type { ApiAnswered, ApiVisitor } from '../../testing/api-visitor.ts'

const PATH = 'auth/sessions'
const MINUTE = 60_000
const readSessionIds = (answer: ApiAnswered): readonly number[] => {
  const data = readPath(answer, 'data')
  return Array.isArray(data) ? data.map(({ id }: { id: number }) => id) : []
}

describe.each(everywhere)('auth/sessions, %s', (_name, client, open) => {
  let bench: ApiBench
  let ada: Person
  afterEach(() => bench.world.close())

  async function begin(settings: AuthSettingsInput = {}, trackActivity = false): Promise<ApiVisitor> {
    bench = await apiBench(client, open, { usersessions: { enabled: true, trackActivity }, ...settings })
    ada = await bench.person()
    return signedIn({ ip: '192.0.2.1', userAgent: 'Laptop/1.0' })
  }
  async function signedIn(as: { ip: string; userAgent: string }): Promise<ApiVisitor> {
    const visitor = bench.world.api(client, as)
    expect((await visitor.post('auth/login', ada.credentials)).status).toBe(200)
    return visitor
  }
  const isOver = async (visitor: ApiVisitor): Promise<boolean> =>
    (await visitor.get('auth/session')).status === (client === 'app' ? 410 : 401)

  it.each(['GET', 'POST', 'DELETE'])('requires sign-in: %s', async (method) => {
    await begin()
    const answer = await ada.visitor().send(method, PATH, method === 'GET' ? undefined : '{')
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
  })

  it("doesn't exist without the module", async () => {
    await begin()
    await bench.world.close()
    bench = await apiBench(client, open)
    ada = await bench.person()
    expect((await (await ada.login()).get(PATH)).status).toBe(404)
  })

  it("lists the user's sessions, without the time of the last request", async () => {
    const laptop = await begin()
    const at = bench.world.clock.now() / 1000
    bench.world.clock.advance(MINUTE + 500)
    await signedIn({ ip: '2001:db8::1', userAgent: 'Phone/1.0' })
    await (await bench.person()).login()
    const answer = await laptop.get(PATH)
    const id: unknown = expect.any(Number)
    expect(answer.body).toMatchObject({
      status: 200,
      data: [
        { id, user_agent: 'Phone/1.0', ip: '2001:db8::1', created_at: at + 60.5, is_current: false },
        { id, user_agent: 'Laptop/1.0', ip: '192.0.2.1', created_at: at, is_current: true },
      ],
    })
    expect(readPath(answer, 'data.0')).not.toHaveProperty('last_seen_at')
  })

  it('updates the last request, and notices another client', async () => {
    const laptop = await begin({}, true)
    const begun = bench.world.clock.now() / 1000
    const changes: (readonly [string, string])[] = []
    bench.world.auth.signals.on('session_client_changed', ({ from_session, to_session }) => {
      changes.push([from_session.userAgent, to_session.userAgent])
    })
    bench.world.clock.advance(5 * MINUTE)
    await laptop.get('auth/session', { 'user-agent': 'Stolen/1.0' })
    const seen = { created_at: begun, last_seen_at: begun + 300, user_agent: 'Stolen/1.0' }
    expect(readPath(await laptop.get(PATH, { 'user-agent': 'Stolen/1.0' }), 'data')).toMatchObject([seen])
    expect(changes).toEqual([['Laptop/1.0', 'Stolen/1.0']])
  })

  it('ends other sessions', async () => {
    const laptop = await begin()
    const phone = await signedIn({ ip: '192.0.2.2', userAgent: 'Phone/1.0' })
    const listed = await laptop.get(PATH)
    const own = Number(readPath(listed, 'data.1.id'))
    const other = Number(readPath(listed, 'data.0.id'))
    const answer = await laptop.delete(PATH, { sessions: [other, other] })
    expect([answer.status, readSessionIds(answer)]).toEqual([200, [own]])
    expect([await isOver(phone), await isOver(laptop)]).toEqual([true, false])
  })

  it('signs out by ending the current session', async () => {
    const laptop = await begin()
    const phone = await signedIn({ ip: '192.0.2.2', userAgent: 'Phone/1.0' })
    const answer = await laptop.delete(PATH, { sessions: readSessionIds(await laptop.get(PATH)) })
    expect(answer.body).toMatchObject({ status: 401, meta: { is_authenticated: false } })
    expect(readPath(answer, 'data.flows')).toContainEqual({ id: 'login' })
    expect([await isOver(phone), await isOver(laptop)]).toEqual([true, true])
  })

  it("rejects anything but a list of the user's own sessions, and ends none", async () => {
    const laptop = await begin()
    const phone = await signedIn({ ip: '192.0.2.2', userAgent: 'Phone/1.0' })
    const own = readSessionIds(await laptop.get(PATH))
    const foreign = readSessionIds(await (await (await bench.person()).login()).get(PATH))
    const table: readonly (readonly [sessions: unknown, error: string])[] = [
      [undefined, 'required'],
      [null, 'required'],
      [[], 'required'],
      ['1', 'invalid_list'],
      [{ id: 1 }, 'invalid_list'],
      [['x'], 'invalid_pk_value'],
      [[1.5], 'invalid_pk_value'],
      [[...own, -1], 'invalid_choice'],
      [[...own, Number.MAX_SAFE_INTEGER], 'invalid_choice'],
      [[...own, ...foreign], 'invalid_choice'],
    ]
    for (const [sessions, error] of table) {
      expect([sessions, ...statusAndErrors(await laptop.delete(PATH, { sessions }))]).toEqual([
        sessions,
        400,
        `${error} sessions`,
      ])
    }
    expect([await isOver(laptop), await isOver(phone), foreign.length]).toEqual([false, false, 1])
  })

  it('accepts the ID of a session that has already ended', async () => {
    const laptop = await begin()
    const phone = await signedIn({ ip: '192.0.2.2', userAgent: 'Phone/1.0' })
    const id = Number(readPath(await phone.get(PATH), 'data.0.id'))
    await phone.delete('auth/session')
    expect((await laptop.delete(PATH, { sessions: [id] })).status).toBe(200)
  })

  it('counts per user', async () => {
    const laptop = await begin({ account: { rateLimits: { list_sessions: '1/m/user' } } })
    expect((await laptop.get(PATH)).status).toBe(200)
    const refused = await laptop.delete(PATH, { sessions: [1] })
    expect([refused.body, refused.headers.get('retry-after')]).toEqual([{ status: 429 }, '60'])
  })
})
