import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountsWorld, accountsWorld, PASSWORD, signUp } from './testing/accounts-world.ts'
import { type BrowserSession, browserSession } from './testing/browser-session.ts'

const PUBLIC = 'https://host.example/gate'

let world: AccountsWorld
const proxies: Server[] = []
beforeAll(async () => {
  world = await accountsWorld({ GATEPOST_PUBLIC_URL: PUBLIC })
})
afterAll(async () => {
  for (const server of proxies) server.close()
  await world[Symbol.asyncDispose]()
})

/** What shows the service below `/gate`, and nothing else. @param strips Whether the service sees that. */
async function proxy(strips: boolean): Promise<string> {
  const { port: to } = new URL(world.gateway().url)
  const server = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked
    if (!url.startsWith('/gate/')) return answer.writeHead(404).end('not of the service')
    const path = strips ? url.slice('/gate'.length) : url
    // browsers say where a form comes from
    const origin = headers.origin ?? (method === 'POST' ? 'https://host.example' : undefined)
    const sent = { method, path, port: to, headers: { ...headers, ...(origin && { origin }), host: 'host.example' } }
    asked.pipe(
      request(sent, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers)
        got.pipe(answer)
      }),
    )
  })
  proxies.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens on a port
}

describe.each([
  ['leaves its path', false],
  ['takes its path away', true],
] as const)('behind a proxy that %s', (_what, strips) => {
  let at: string
  let ann: BrowserSession
  let email: string
  /** A link as the browser follows it here. */
  const here = (link: string): string => link.replace('https://host.example', at)
  beforeAll(async () => {
    at = await proxy(strips)
    email = `ann-${strips}@example.org`
    const first = world.gateway().firstAccountUrl
    const { body } = strips ? await world.ask('POST', '/api/invitations', { body: {} }) : { body: { url: first } }
    const link = String(body['url'])
    expect(link).toMatch(/^https:\/\/host\.example\/gate\/accounts\/invitation\//)
    ann = await signUp(await visitor(at), here(link), email)
  })

  it('has pages, forms and mails with the path', async () => {
    const page = await ann.get('/gate/accounts/email/')
    expect(page.status).toBe(200)
    const links = [...page.text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, to]) => to ?? '')
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((to) => !to.startsWith('/gate/'))).toEqual([])
    for (const to of links.filter((link) => link.includes('/assets/'))) expect((await ann.get(to)).status).toBe(200)

    expect((await ann.submit('/gate/accounts/logout/')).location).toBe('/gate/accounts/login/')
    expect((await ann.get('/gate/accounts/email/')).location).toBe('/gate/accounts/login/?next=/gate/accounts/email/')
    const login = await ann.get('/gate/accounts/login/')
    for (const line of login.headers.getSetCookie()) expect(line).toMatch(/Path=\/gate\//)
    const signedIn = await ann.submit('/gate/accounts/login/', { login: email, password: PASSWORD })
    expect(signedIn.location).toBe('/gate/console/')
    for (const line of signedIn.headers.getSetCookie()) expect(line).toMatch(/Path=\/gate\//)

    await ann.submit('/gate/accounts/password/reset/', { email })
    const mail = await world.mailTo(email)
    const [link = ''] = /https:\/\/\S+password\/reset\S+/.exec(`${mail.text}`) ?? []
    expect(link).toContain('https://host.example/gate/accounts/password/reset/key/')
    expect((await ann.get(here(link))).status).toBeLessThan(400)
    await ann.submit('/gate/accounts/login/', { login: email, password: PASSWORD })
  })

  it('has its API, the JSON API of accounts, and its pages there', async () => {
    expect((await ann.get('/gate/api/service')).json()).toMatchObject({ public_url: PUBLIC })
    expect((await ann.call('POST', '/gate/api/tokens', { name: 'x' })).status).toBe(200)
    const foreign = await ann.call('POST', '/gate/api/tokens', { name: 'x' }, { origin: 'https://other.example' })
    expect(foreign.json()).toMatchObject({ code: 'foreign_origin' })
    const own = await ann.call('POST', '/gate/api/tokens', { name: 'x' }, { origin: 'https://host.example' })
    expect(own.status).toBe(200)
    expect((await ann.get('/gate/_allauth/browser/v1/auth/session')).json()).toMatchObject({ status: 200 })
    expect((await ann.get('/gate/api/openapi.json')).json()).toMatchObject({ servers: [{ url: '/gate/' }] })
    expect([(await ann.get('/gate/')).location, (await ann.get('/gate/healthz')).status]).toEqual(['console/', 200])
    const docs = await ann.get('/gate/api/docs')
    for (const [, to = ''] of docs.text.matchAll(/(?:href|src)="([^"]*)"/g)) {
      expect((await ann.get(new URL(to, `${at}/gate/api/docs`).href)).status).toBeLessThan(400)
    }
  })

  it('is an issuer with that path, for programs and for agents', async () => {
    const document = (await ann.get('/gate/.well-known/openid-configuration')).json()
    expect(document).toMatchObject({ issuer: PUBLIC, authorization_endpoint: `${PUBLIC}/identity/o/authorize` })
    const addresses = Object.entries<unknown>({ ...(document as object) }).filter(([name]) =>
      /_endpoint$|_uri$/.test(name),
    ) // an object, as was seen
    expect(addresses.length).toBeGreaterThan(6)
    expect(addresses.filter(([, to]) => !String(to).startsWith(`${PUBLIC}/`))).toEqual([])
    const refused = await ann.get('/gate/mcp')
    const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? []
    const metadata = (await ann.get(here(metadataUrl))).json()
    expect(metadata).toMatchObject({ resource: `${PUBLIC}/mcp`, authorization_servers: [PUBLIC] })

    const asked = new URLSearchParams({ client_id: 'gatepost-cli', scope: 'channels:read', resource: `${PUBLIC}/mcp` })
    const post = async (path: string, form: URLSearchParams): Promise<Readonly<Record<string, string>>> => {
      const answer = await fetch(`${at}/gate/identity/o/api/${path}`, { method: 'POST', body: form })
      return (await answer.json()) as Readonly<Record<string, string>> // texts, where they are read here
    }
    const device = await post('device/code', asked)
    expect(device['verification_uri']).toBe(`${PUBLIC}/identity/o/device`)
    const confirm = await ann.get(here(String(device['verification_uri_complete'])))
    expect([confirm.status, confirm.text.includes('action="/gate/identity/o/device')]).toEqual([200, true])
    await ann.submit('/gate/identity/o/device', { code: String(device['user_code']), action: 'confirm' })
    const token = await post(
      'token',
      new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'gatepost-cli',
        device_code: String(device['device_code']),
        resource: `${PUBLIC}/mcp`,
      }),
    )
    const bearer = { authorization: `Bearer ${token['access_token']}` }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const accept = { ...bearer, accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const tools = await fetch(`${at}/gate/mcp`, { method: 'POST', headers: accept, body: JSON.stringify(call) })
    expect(tools.status).toBe(200)
    // good for the tools alone
    expect((await fetch(`${at}/gate/api/channels`, { headers: bearer })).status).toBe(401)
  })

  it('leads an app to the sign-in and back, on its own path', async () => {
    const app = { name: 'Wiki', redirect_uris: ['https://wiki.example.org/callback'] }
    const { body } = await world.ask('POST', '/api/admin/clients', { body: app })
    const query = new URLSearchParams({
      client_id: String(body['id']),
      response_type: 'code',
      scope: 'openid',
      redirect_uri: 'https://wiki.example.org/callback',
      state: 'made-up-state',
    })
    const bo = await visitor(at)
    const began = await bo.get(`/gate/identity/o/authorize?${query.toString()}`)
    expect(began.location).toMatch(/^(https:\/\/host\.example)?\/gate\/identity\/o\/interaction\//)
    const login = await bo.get(here(String(began.location)))
    expect(login.location).toMatch(/^\/gate\/accounts\/login\/\?next=/)
    const back = await bo.submit(String(login.location), { login: email, password: PASSWORD })
    expect(back.location).toMatch(/^\/gate\/identity\/o\/interaction\//)
    const onward = await bo.get(String(back.location))
    const [, resume = ''] = /(\/gate\/identity\/o\/authorize\/[\w-]+)/.exec(onward.text) ?? []
    const asks = await bo.get(resume)
    expect(asks.location).toMatch(/\/gate\/identity\/o\/interaction\/|^https:\/\/wiki\.example\.org\/callback/)
  })
})

async function visitor(at: string): Promise<BrowserSession> {
  const session = browserSession(at)
  await session.get('/gate/accounts/login/') // for the cookie that forms need
  return session
}
