import { serve, type ServerType } from '@hono/node-server'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { testDatabases } from '@gatepost/sql/testing'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BrowserSite, browserSite } from '../../testing/browser-site.ts'
import type { OidcClient } from '../clients.ts'
import { addClient, authorizePath, PASSWORD, post, SIGNING_KEY, tokensFor } from './testing-relying-party.ts'

/** A client's site, whose callback redirects to another host, as many do. */
interface ClientSite {
  readonly callback: string
  readonly bye: string
  /** Origins that it uses. */
  readonly origins: readonly string[]
  close(): void
}

async function clientSite(): Promise<ClientSite> {
  const listening = Promise.withResolvers<number>()
  const html = (title: string): Response =>
    new Response(`<title>${title}</title><link rel="icon" href="data:,">`, { headers: { 'content-type': 'text/html' } })
  const server: ServerType = serve(
    {
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const url = new URL(request.url)
        if (url.pathname !== '/callback') return html(url.pathname === '/bye' ? 'Bye' : `Back ${url.search}`)
        return Response.redirect(`http://home.localhost:${url.port}/done${url.search}`)
      },
    },
    ({ port }) => listening.resolve(port),
  )
  const port = await listening.promise
  const origins = [`http://127.0.0.1:${port}`, `http://home.localhost:${port}`]
  return { callback: `${origins[0]}/callback`, bye: `${origins[0]}/bye`, origins, close: () => void server.close() }
}

let browser: TestBrowser
let site: BrowserSite
let app: ClientSite
beforeAll(async () => {
  browser = await launchBrowser()
})
beforeEach(async () => {
  app = await clientSite()
})
afterEach(async () => {
  await browser.closePages()
  await site.close()
  app.close()
})
afterAll(() => browser.close())

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click()
async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, 'Sign in')
}
/** Waits until the client's site shows the parameters that it received. */
async function waitForCallback(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(/\/done\?/)
  return new URL(page.url()).searchParams
}

describe.each(testDatabases)('in a browser on %s', (_name, open) => {
  async function start(more: Parameters<typeof addClient>[1] = {}): Promise<OidcClient> {
    site = await browserSite({ idpOidc: { enabled: true, privateKey: SIGNING_KEY } }, open)
    await site.world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
    return addClient(site.world, { redirectUris: [app.callback], postLogoutRedirectUris: [app.bye], ...more })
  }
  const visit = (path: string): Promise<Page> => browser.open(`${site.origin}${path}`, { origins: app.origins })

  it('people refuse, allow, connect a device, end access and sign out', async () => {
    const client = await start()
    const page = await visit(authorizePath(client))
    await signIn(page)
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor()
    await press(page, 'Deny')
    expect((await waitForCallback(page)).get('error')).toBe('access_denied')

    await page.goto(`${site.origin}${authorizePath(client)}`)
    await page.getByLabel('View your name and username').uncheck()
    await press(page, 'Allow')
    const code = (await waitForCallback(page)).get('code') ?? ''
    const tokens = await tokensFor(site.world, client, code, site.origin)
    expect(tokens).toMatchObject({ scope: 'openid email' })

    const device = await post(
      site.world,
      '/identity/o/api/device/code',
      { client_id: client.id, scope: 'openid' },
      site.origin,
    )
    await page.goto(`${site.origin}/identity/o/device`)
    await page.getByLabel('Code').fill(String(device['user_code']))
    await press(page, 'Continue')
    await press(page, 'Connect')
    await page.getByRole('heading', { name: 'Device connected' }).waitFor()

    await page.goto(`${site.origin}/accounts/applications/`)
    await press(page, 'Revoke access Notes')
    await page.getByText('Notes no longer has access to your account.').waitFor()

    const logout = new URLSearchParams({ id_token_hint: String(tokens['id_token']), post_logout_redirect_uri: app.bye })
    await page.goto(`${site.origin}/identity/o/logout?${logout.toString()}`)
    await press(page, 'Sign out')
    await page.waitForURL(app.bye)
    await page.goto(`${site.origin}/accounts/email/`)
    expect(new URL(page.url()).pathname).toBe('/accounts/login/')
  })

  it('users who need no consent go from the login form to the client', async () => {
    const client = await start({ skipConsent: true })
    const page = await visit(authorizePath(client))
    await signIn(page)
    expect((await waitForCallback(page)).has('code')).toBe(true)
  })
})

it('apps are opened by the scheme that they have registered', async () => {
  site = await browserSite({ idpOidc: { enabled: true, privateKey: SIGNING_KEY } })
  await site.world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD })
  const client = await addClient(site.world, { redirectUris: ['org.example.notes:/callback'] })
  const page = await browser.open(`${site.origin}${authorizePath(client)}`, { origins: ['null'] })
  await signIn(page)
  await page.getByText("You'll be redirected to the app org.example.notes").waitFor()
  // A policy that blocks the form would prevent this request.
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const opened = new Promise<string>((resolve) => {
    session.on('Network.requestWillBeSent', ({ request: { url } }) => {
      if (url.startsWith('org.')) resolve(url)
    })
  })
  await press(page, 'Allow')
  expect(await opened).toMatch(/^org\.example\.notes:\/callback\?code=/)
})
