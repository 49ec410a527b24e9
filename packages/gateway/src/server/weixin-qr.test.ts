import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestServer, testServer } from '../testing/test-server.ts'

/** The set-up that the fake channels know stands at `waiting` under this address. */
const CODE = 'https://example.org/q/1'
let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (path: string, query: Record<string, string>): Promise<Response> =>
  fetch(`${server.url}${path}?${new URLSearchParams(query).toString()}`)

describe('the page of a Weixin code', () => {
  it('draws the code itself, needs no log-in, and carries no script of its own', async () => {
    const answer = await ask('/weixin-qr.html', { url: CODE, since: '1800000000' })
    const page = await answer.text()
    expect(answer.status).toBe(200)
    expect(page).toMatch(/<svg viewBox[^>]*>\s*<path/)
    expect(page).not.toMatch(/<script>|\son\w+=|\sstyle=/)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  const refused: readonly [why: string, query: Record<string, string>][] = [
    ['no address', {}],
    ['a script', { url: 'javascript:alert(1)' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['another scheme of the platform', { url: 'weixin://dl/x' }],
    ['no address at all', { url: 'not an address' }],
    ['an address of another site', { url: 'https://evil.example/q/1' }],
    ['one that no code holds', { url: `https://liteapp.weixin.qq.com/${'x'.repeat(1_100)}` }],
    ['one that no code holds once it is encoded', { url: `https://liteapp.weixin.qq.com/${'漢'.repeat(900)}` }],
  ]
  it.each(refused)('refuses %s', async (_why, query) => {
    const answer = await ask('/weixin-qr.html', query)
    const page = await answer.text()
    expect([answer.status, page.includes('<svg')]).toEqual([400, false])
    expect(page).not.toContain('alert(1)')
  })

  it('escapes what it shows of the address', async () => {
    const page = await (
      await ask('/weixin-qr.html', { url: 'https://liteapp.weixin.qq.com/?a="><img src=x>&b=1' })
    ).text()
    expect(page).not.toContain('"><img')
  })

  const states: readonly [why: string, query: Record<string, string>, status: number, state: unknown][] = [
    ['a code that is known', { url: CODE, since: '1800000000' }, 200, 'waiting'],
    [
      'a code of nobody, just asked for',
      { url: 'https://liteapp.weixin.qq.com/q/2', since: String(Date.now()) },
      200,
      'waiting',
    ],
    ['a code of nobody, long ago', { url: 'https://liteapp.weixin.qq.com/q/2', since: '1700000000' }, 200, 'expired'],
    ['no time', { url: CODE }, 400, undefined],
    ['a code of another site', { url: 'https://evil.example/q/1', since: '1800000000' }, 400, undefined],
    ['a time that is none', { url: CODE, since: 'yesterday' }, 400, undefined],
  ]
  it.each(states)('tells the state of %s', async (_why, query, status, state) => {
    const answer = await ask('/weixin-qr/state', query)
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      state === undefined ? { ok: false } : { ok: true, state },
    ])
  })
})
