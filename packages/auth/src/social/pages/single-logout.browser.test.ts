import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { type SamlIdentityProvider, samlIdentityProvider } from '@gatepost/emulators/identity-provider'
import { pageFaults } from '@gatepost/emulators/page-checks'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { arrive, press } from '../../mfa/testing-browser.ts'
import { systemRandom } from '../../kernel/io.ts'
import { type BrowserSite, browserSite } from '../../testing/browser-site.ts'
import { GRACE } from '../../testing/social-world.ts'

const CONNECTIONS = '/accounts/3rdparty/'
const LOGIN = '/accounts/login/'
const IDP = 'https://saml.idp.example/entity'

let browser: TestBrowser
let site: BrowserSite
let idp: SamlIdentityProvider
let served: Awaited<ReturnType<SamlIdentityProvider['listen']>>
let page: Page
beforeAll(async () => {
  idp = samlIdentityProvider({ entityId: IDP, now: () => site.world.clock.now(), random: systemRandom })
  served = await idp.listen()
  const settings = { idp: { entity_id: IDP, metadata_url: idp.addresses().metadata } }
  const app = { client_id: 'acme', provider_id: IDP, name: 'Acme', settings }
  site = await browserSite({
    loginRedirectUrl: CONNECTIONS,
    account: { emailVerification: 'none', logoutRedirectUrl: LOGIN },
    socialaccount: { enabled: true, providers: { saml: { APPS: [app] } } },
  })
  const base = `${site.origin}/accounts/saml/acme/`
  idp.addServiceProvider({ entityId: `${base}metadata/`, acsUrls: [`${base}acs/`], slsUrl: `${base}sls/` })
  idp.signIn(GRACE)
  browser = await launchBrowser()
  page = await browser.open(site.origin + LOGIN, { width: 390, origins: [served.url] })
})
afterAll(async () => {
  await browser.closePages()
  await browser.close()
  await site.close()
  await served.close()
})

const signIn = async (): Promise<void> => {
  await press(page, 'Acme')
  await page.waitForURL((url) => url.origin === served.url)
  await page.getByLabel('Grace Hopper').check()
  await page.getByRole('button', { name: 'Allow' }).click()
  await arrive(page, CONNECTIONS)
}

/** The organisation is of another host, as outside: forms of ours may not lead there, and cookies of ours are lax. */
it("a sign-out is sent to the organisation and returns; the organisation's own ends the session", async () => {
  await signIn()
  const visited: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest()) visited.push(request.url())
  })
  await page.goto(`${site.origin}/accounts/logout/`)
  await press(page, 'Sign out')
  await arrive(page, LOGIN)
  expect(visited.filter((url) => url.startsWith(`${served.url}/slo?SAMLRequest=`))).toHaveLength(1)
  expect(await page.getByRole('status').innerText()).toContain("You've signed out.")
  expect(await pageFaults(page)).toEqual([])

  await signIn()
  await page.goto(`${served.url}/slo?SAMLResponse=`)
  const out = idp.logoutAddress(`${site.origin}/accounts/saml/acme/metadata/`)
  await page.evaluate(`location.href = ${JSON.stringify(out)}`)
  await page.waitForURL((url) => Boolean(url.searchParams.get('SAMLResponse')))
  await page.goto(site.origin + CONNECTIONS)
  await arrive(page, LOGIN)
})
