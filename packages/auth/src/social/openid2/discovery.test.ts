import { describe, expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { expectFailure } from '../oauth2/testing-handshake.ts'
import { numberedBytes } from '../oauth2/testing-random.ts'
import { discoverOpenid, normalizeIdentifier } from './discovery.ts'

const OP = 'https://op.example/auth'
const SIGNON = 'http://specs.openid.net/auth/2.0/signon'
const SERVER = 'http://specs.openid.net/auth/2.0/server'

type Page = string | { readonly body?: string; readonly status?: number; readonly headers?: Record<string, string> }

/** Runs discovery on these pages; records the requests in order. */
function createScriptedWeb(pages: Readonly<Record<string, Page>>, allowLoopback = false) {
  const asked: string[] = []
  const fetch = async (request: Request): Promise<Response> => {
    asked.push(request.url)
    const page = pages[request.url]
    if (page === undefined) return new Response('', { status: 404 })
    if (typeof page === 'string') return new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } })
    return new Response(page.body ?? '', { status: page.status ?? 200, headers: page.headers ?? {} })
  }
  const io = {
    fetch,
    clock: manualClock(),
    random: numberedBytes(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
  const discover = (address: string, mayBeServer = true) => discoverOpenid({ io, allowLoopback }, address, mayBeServer)
  return { asked, discover }
}

const xrds = (...services: readonly string[]): Page => ({
  headers: { 'content-type': 'application/xrds+xml' },
  body: `<?xml version="1.0"?><xrds:XRDS xmlns:xrds="xri://$xrds" xmlns="xri://$xrd*($v*2.0)"><XRD>${services.join('')}</XRD></xrds:XRDS>`,
})
const xrdsService = (type: string, uri: string, more = '', priority = ''): string =>
  `<Service${priority}><Type>${type}</Type><URI>${uri}</URI>${more}</Service>`
const redirectPageTo = (location: string): Page => ({ status: 302, headers: { location } })

describe('a provider', () => {
  it.each<readonly [string, Readonly<Record<string, Page>>, object]>([
    [
      'a Yadis document',
      { 'https://me.example/': xrds(xrdsService(SIGNON, OP)) },
      { claimedId: 'https://me.example/', localId: null },
    ],
    [
      'a document with another local id',
      { 'https://me.example/': xrds(xrdsService(SIGNON, OP, '<LocalID>https://op.example/me</LocalID>')) },
      { claimedId: 'https://me.example/', localId: 'https://op.example/me' },
    ],
    [
      'a document of the provider itself',
      { 'https://me.example/': xrds(xrdsService(SERVER, OP)) },
      { claimedId: null, localId: null },
    ],
    [
      'the service with the lowest number',
      {
        'https://me.example/': xrds(
          xrdsService(SIGNON, 'https://third.example/'),
          xrdsService(SIGNON, 'https://second.example/', '', ' priority="20"'),
          xrdsService(SIGNON, OP, '', ' priority="3"'),
        ),
      },
      { claimedId: 'https://me.example/' },
    ],
    [
      'a header',
      {
        'https://me.example/': { headers: { 'x-xrds-location': '/yadis' } },
        'https://me.example/yadis': xrds(xrdsService(SIGNON, OP)),
      },
      { claimedId: 'https://me.example/' },
    ],
    [
      'a meta element',
      {
        'https://me.example/': `<head><META content='https://me.example/y?a=1&amp;b=2' HTTP-EQUIV=x-xrds-location></head>`,
        'https://me.example/y?a=1&b=2': xrds(xrdsService(SIGNON, OP)),
      },
      { claimedId: 'https://me.example/' },
    ],
    [
      'links of a page',
      {
        'https://me.example/': `<html><head><link rel="x openid2.provider" href="${OP}"><link href='https://op.example/me' rel=openid2.local_id></head>`,
      },
      { claimedId: 'https://me.example/', localId: 'https://op.example/me' },
    ],
    [
      'what a redirect leads to, which is the identifier then',
      {
        'https://me.example/': redirectPageTo('/people/me#top'),
        'https://me.example/people/me': `<link rel="openid2.provider" href="${OP}">`,
      },
      { claimedId: 'https://me.example/people/me' },
    ],
  ])('is found by %s', async (_how, pages, found) => {
    expect(await createScriptedWeb(pages).discover('https://me.example/')).toMatchObject({ endpoint: OP, ...found })
  })

  it.each<readonly [string, Readonly<Record<string, Page>>]>([
    ['nothing there', {}],
    ['an error', { 'https://me.example/': { status: 500, body: `<link rel="openid2.provider" href="${OP}">` } }],
    [
      'a link in the body, which others may have written',
      { 'https://me.example/': `<body><link rel="openid2.provider" href="${OP}">` },
    ],
    ['a link in a comment', { 'https://me.example/': `<!-- <link rel="openid2.provider" href="${OP}"> -->` }],
    [
      'a document with entities',
      { 'https://me.example/': { ...Object(xrds()), body: `<!DOCTYPE a [<!ENTITY x "${OP}">]><XRDS/>` } },
    ],
    ['a service of an older version', { 'https://me.example/': xrds(xrdsService('http://openid.net/signon/1.1', OP)) }],
    ['a provider within', { 'https://me.example/': xrds(xrdsService(SIGNON, 'http://169.254.169.254/latest/')) }],
    ['a provider that is no address', { 'https://me.example/': xrds(xrdsService(SIGNON, 'javascript:alert(1)')) }],
    [
      'a document within',
      {
        'https://me.example/': { headers: { 'x-xrds-location': 'http://10.0.0.1/' } },
        'http://10.0.0.1/': xrds(xrdsService(SIGNON, OP)),
      },
    ],
  ])('is not found by %s', async (_how, pages) => {
    await expectFailure(createScriptedWeb(pages).discover('https://me.example/'))
  })

  it('is never requested in the internal network, wherever redirects lead', async () => {
    for (const inner of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'https://db.internal/',
      'file:///etc/passwd',
      'http://0x7f.1/',
      '//localhost/',
    ]) {
      const { asked, discover } = createScriptedWeb({ 'https://me.example/': redirectPageTo(inner) })
      await expectFailure(discover('https://me.example/'))
      expect(asked).toEqual(['https://me.example/'])
    }
    const endless = createScriptedWeb({ 'https://me.example/': redirectPageTo('https://me.example/') })
    await expectFailure(endless.discover('https://me.example/'))
    expect(endless.asked).toHaveLength(6)
  })

  it('of itself does not prove an identifier', async () => {
    const { discover } = createScriptedWeb({ 'https://me.example/': xrds(xrdsService(SERVER, OP)) })
    await expectFailure(discover('https://me.example/', false))
  })

  it('may be on this machine for a site in development', async () => {
    const pages = { 'http://localhost:4000/': xrds(xrdsService(SIGNON, 'http://127.0.0.1:4001/')) }
    expect((await createScriptedWeb(pages, true).discover('http://localhost:4000/')).endpoint).toBe(
      'http://127.0.0.1:4001/',
    )
    await expectFailure(createScriptedWeb(pages).discover('http://localhost:4000/'))
  })
})

it.each([
  ['me.example', 'http://me.example/'],
  ['  HTTPS://Me.Example/a/../b?x#y ', 'https://me.example/b?x'],
])('makes of %s the identifier %s', (text, identifier) => {
  expect(normalizeIdentifier(text, false)).toBe(identifier)
})

it.each(['', '=ida', 'xri://=ida', 'localhost', 'http://user:pass@me.example/', 'ftp://me.example/', 'x'.repeat(3000)])(
  'does not take %s for an identifier',
  async (text) => expectFailure(Promise.resolve().then(() => normalizeIdentifier(text, false))),
)
