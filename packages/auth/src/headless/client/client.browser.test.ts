import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type BrowserSite, browserSite, virtualAuthenticator } from '../../testing/browser-site.ts'

const EMAIL = 'ada@example.org'
const PASSWORD = 'a made-up pass phrase'
const SOURCE = join(import.meta.dirname, '..')

let browser: TestBrowser
let site: BrowserSite
beforeAll(async () => {
  browser = await launchBrowser()
  site = await browserSite({
    account: { loginMethods: ['email'] },
    mfa: { enabled: true, supportedTypes: ['totp', 'recovery_codes', 'webauthn'], passkeyLoginEnabled: true },
    headless: { enabled: true },
  })
  await site.world.addUser({ username: 'ada', email: EMAIL, password: PASSWORD })
})
afterAll(async () => {
  await browser.close()
  await site.close()
})
afterEach(() => browser.closePages())

/** A page of the front end, with the modules of the client below `/app/`, each without its types. */
async function frontEnd(): Promise<Page> {
  const page = await browser.open(`${site.origin}/accounts/login/`)
  await page.route(`${site.origin}/app/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice('/app/'.length)
    if (path === '') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>App</title>' })
    const code = stripTypeScriptTypes(await readFile(join(SOURCE, path), 'utf8'))
    return route.fulfill({ contentType: 'text/javascript', body: code })
  })
  await page.goto(`${site.origin}/app/`)
  return page
}

/** Runs code in the page that has the client. */
const run = (page: Page, code: string): Promise<unknown> =>
  page.evaluate(`(async () => {
    const { browserClient, createPasskey, getPasskey } = await import('/app/client/index.ts')
    const client = browserClient({ baseUrl: '/_allauth' })
    ${code}
  })()`)

it('signs in, adds a passkey, and signs in with it elsewhere', async () => {
  const first = await frontEnd()
  const device = await virtualAuthenticator(first)
  const added = await run(
    first,
    `const changes = []
    client.onChange(({ user }) => changes.push(user.email))
    await client.login(${JSON.stringify({ email: EMAIL, password: PASSWORD })})
    const { data } = await client.getWebauthnCreation({ passwordless: true })
    const credential = await createPasskey(data.creation_options)
    const answer = await client.addWebauthn({ name: 'Laptop', credential })
    return { changes, name: answer.data.name, isPasskey: answer.data.is_passwordless }`,
  )
  expect(added).toEqual({ changes: [EMAIL], name: 'Laptop', isPasskey: true })

  const second = await frontEnd()
  await device.copyTo(await virtualAuthenticator(second))
  const signedIn = await run(
    second,
    `const { data } = await client.getWebauthnLogin()
    const answer = await client.loginByWebauthn({ credential: await getPasskey(data.request_options) })
    return { status: answer.status, user: answer.data.user.email, factors: (await client.listAuthenticators()).data.length }`,
  )
  expect(signedIn).toEqual({ status: 200, user: EMAIL, factors: 2 })
})
