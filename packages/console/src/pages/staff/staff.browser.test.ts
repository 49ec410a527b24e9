import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleWorld, consoleWorld, PERSON } from '../../testing/console-world.ts'
import { totpCode } from '../../testing/totp-code.ts'

const EMAIL = 'bo@example.org'
/** As the service names who gave no name. */
const BO = 'bo'

let world: ConsoleWorld
/** Of the first account, who is staff. */
let page: Page
/** Of who came by the link that the page showed. */
let bo: Page
beforeAll(async () => {
  world = await consoleWorld([])
  page = await world.open('staff')
})
afterAll(async () => {
  // what the service refused, and nothing else
  await expect(world.browser.closePages()).rejects.toThrow(/^In the browser:\nconsole: [^\n]* 422 [^\n]*\/clients\)$/)
  await world[Symbol.asyncDispose]()
})

type Row = Readonly<Record<string, unknown>>

async function rows(path: string, name: string): Promise<readonly Row[]> {
  const answer = (await world.gatepost.call('GET', path)) as Readonly<Record<string, readonly Row[]>> // of the API
  return answer[name] ?? []
}
const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name })
/** Messages are dialogs too, without a heading. */
const dialog = () =>
  page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .filter({ has: page.getByRole('heading') })
const press = (name: string | RegExp) => dialog().getByRole('button', { name }).click()
async function choose(whose: string, act: string): Promise<void> {
  await page.getByRole('button', { name: `What to do with ${whose}` }).click()
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}
const isTold = (what: string | RegExp) => page.getByText(what).first().waitFor()
const gone = () => dialog().waitFor({ state: 'detached' })

it('invites people, by a link that is shown once, and takes invitations back', async () => {
  await page.getByText('No invitation is open').waitFor()
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByLabel('E-mail address').fill('nowhere')
  await press('Make the link')
  await page.getByText('This is no e-mail address.').waitFor()
  expect(await page.getByLabel('E-mail address').evaluate((field) => field === document.activeElement)).toBe(true)
  await page.getByLabel('E-mail address').fill('cy@example.org')
  await page.getByLabel('As staff').check()
  await press('Make the link')
  await isTold('It is on its way to cy@example.org as well.')
  await press('Done')
  await row('cy@example.org').getByText('Staff').waitFor()
  expect(await rows('/api/invitations', 'invitations')).toMatchObject([{ email: 'cy@example.org', staff: true }])

  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByLabel('E-mail address').fill(EMAIL)
  await press('Make the link')
  const link = (await dialog().locator('code').textContent()) ?? ''
  await press('Done')
  await row(EMAIL).waitFor()
  expect(await page.content()).not.toContain(link)
  bo = await world.join(link, EMAIL)

  await page.getByRole('button', { name: 'Take back the invitation: cy@example.org' }).click()
  await press('Take back')
  await isTold('The invitation is taken back.')
  expect(await rows('/api/invitations', 'invitations')).toEqual([])
})

/** On the service's own pages: who they are is confirmed first. */
async function addTotp(): Promise<void> {
  const at = (path: string): string => `${world.gatepost.url}/accounts/${path}/`
  const send = (name: string) => bo.getByRole('button', { name, exact: true }).click()
  await bo.goto(`${at('reauthenticate')}?next=/accounts/2fa/totp/activate/`)
  await bo.locator('input[type=password]').fill(PERSON.password)
  await send('Confirm')
  await bo.waitForURL(at('2fa/totp/activate'))
  const secret = /\b[A-Z2-7]{32}\b/.exec(await bo.content())?.[0] ?? ''
  await bo.locator('input[name=code]').fill(totpCode(secret, Date.now()))
  await send('Enable')
  await bo.waitForURL(at('2fa/recovery-codes'))
}

it('shows nothing of this to people who are not staff, nor does the API', async () => {
  await bo.goto(`${world.gatepost.url}/console/staff/clients`)
  await bo.getByRole('heading', { name: 'This page is for staff' }).first().waitFor()
  const pages = await bo.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link').allTextContents()
  expect([pages.includes('Channels'), pages.includes('Staff')]).toEqual([true, false])
  const asked = ['accounts', 'invitations', 'admin/social-apps', 'admin/providers', 'admin/clients', 'audit']
  const refused = await Promise.all(asked.map((path) => bo.request.get(`${world.gatepost.url}/api/${path}`)))
  expect(refused.map((answer) => answer.status())).toEqual(asked.map(() => 403))
})

it('makes people staff or not, disables them and gives them a way back', async () => {
  await page.reload()
  const own = row('ada@example.org')
  await own.getByText('You cannot change your own rights: ask somebody else of staff.').waitFor()
  expect(await own.getByRole('button').count()).toBe(0)

  await choose(BO, 'Make staff')
  await isTold('They will see every account')
  await press('Make staff')
  await isTold(`${BO} is staff now.`)
  await gone()
  await bo.goto(`${world.gatepost.url}/console/staff`)
  await bo.getByText('Holds the owner token’s account: only that token changes it.').waitFor()
  await choose(BO, 'No longer staff')
  await press('Take the rights')
  await isTold(`${BO} is no longer staff.`)
  await gone()

  await addTotp()
  await page.reload()
  await row(EMAIL).getByText('Authenticator app').waitFor()
  await choose(BO, 'Reset second factors')
  await press('Remove and sign out')
  await row(EMAIL).getByText('None').waitFor()
  await gone()

  await choose(BO, 'Disable')
  await press('Disable')
  await row(EMAIL).getByText('Disabled').waitFor()
  await gone()
  expect(await rows('/api/accounts', 'items')).toMatchObject([
    { id: 'owner' },
    { id: 'u2', user: { email: EMAIL, staff: false, active: false }, second_factors: [] },
  ])
  await choose(BO, 'Enable')
  await press('Enable')
  await isTold(`${BO} can sign in again.`)
  await gone()

  await page.getByLabel('Search').fill('nobody like that')
  await isTold('Nothing here has these words.')
  await page.getByLabel('Search').fill('BO@')
  await choose(BO, 'Look at their channels')
  await isTold('You are looking at the channels of account u2.')
  await page.getByRole('button', { name: 'Back to your own' }).click()
})

it('adds, changes and removes apps at providers; secrets go in and never come out', async () => {
  await page.getByRole('link', { name: 'Staff', exact: true }).click()
  await page.getByRole('link', { name: 'Social apps' }).click()
  await isTold('No app yet')
  await page.getByRole('button', { name: 'Add an app' }).click()
  await page.getByLabel('Provider', { exact: true }).selectOption('OpenID Connect')
  await press('Add an app')
  await isTold('Fill this in.')
  await page.getByLabel('Name in addresses').fill('acme')
  const callback = `${world.gatepost.url}/accounts/oidc/acme/login/callback/`
  await dialog().getByText(callback).waitFor()
  await page.getByLabel('Address of the provider').fill('https://id.example.org')
  await page.getByLabel('Client ID').fill('made-up-id')
  await page.getByLabel('Client secret').fill('made-up-social-secret')
  await page.getByLabel('Name on its button').fill('Acme')
  await press('Add an app')
  await isTold('People can sign in with Acme now.')
  await row(callback).getByText('Secret kept').waitFor()
  expect(await rows('/api/admin/social-apps', 'social_apps')).toMatchObject([
    { provider: 'openid_connect', provider_id: 'acme', settings: { server_url: 'https://id.example.org' } },
  ])

  await choose('Acme', 'Change')
  await isTold('One is kept. Leave this empty to keep it.')
  expect(await page.getByLabel('Client secret').inputValue()).toBe('')
  await page.getByLabel('Client ID').fill('another-id')
  await dialog().getByText('More settings').first().click()
  await dialog().getByRole('textbox', { name: 'More settings' }).fill('{"hidden": tru')
  await press('Save')
  await isTold('This is no JSON object.')
  await dialog().getByRole('textbox', { name: 'More settings' }).fill('{"hidden": true}')
  await press('Save')
  await isTold('The app at Acme is changed.')
  await row('another-id').getByText('No button').waitFor()
  expect(await rows('/api/admin/social-apps', 'social_apps')).toMatchObject([
    { client_id: 'another-id', has_secret: true, settings: { server_url: 'https://id.example.org', hidden: true } },
  ])
  await choose('Acme', 'Remove')
  await press('Remove')
  await isTold('No app yet')
  expect(await rows('/api/admin/social-apps', 'social_apps')).toEqual([])
})

it('registers clients, shows each secret once, and takes them away', async () => {
  await page.getByRole('link', { name: 'OIDC clients' }).click()
  await page.getByText(`${world.gatepost.url}/.well-known/openid-configuration`).waitFor()
  await page.getByRole('button', { name: 'Register a client' }).click()
  await press('Register a client')
  expect(await page.getByLabel('Name', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(
    true,
  )
  await page.getByLabel('Name', { exact: true }).fill('Wiki')
  await page.getByLabel('Addresses to come back to after signing in').fill('http://wiki.example.org/back')
  await press('Register a client')
  await isTold('One of these cannot be taken.')
  await page.getByLabel('Addresses to come back to after signing in').fill('https://wiki.example.org/back\n\n')
  await page.getByLabel('See their channels').check()
  await press('Register a client')
  await isTold('It is shown this once: copy it now')
  const first = (await dialog().locator('code').first().textContent()) ?? ''
  await press('Done')
  await row('Wiki').getByText('https://wiki.example.org/back').waitFor()
  const wiki = async (): Promise<Row | undefined> =>
    (await rows('/api/admin/clients', 'clients')).find(({ name }) => name !== 'Gatepost command line')
  expect(await wiki()).toMatchObject({
    name: 'Wiki',
    type: 'confidential',
    scopes: ['openid', 'profile', 'email', 'channels:read'],
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: ['https://wiki.example.org/back'],
    response_types: ['code'],
    owner: '1',
  })

  await choose('Wiki', 'New secret')
  await press('Make a new secret')
  await isTold('The secret of Wiki')
  const second = (await dialog().locator('code').first().textContent()) ?? ''
  await press('Done')
  expect([first.length > 20, second.length > 20, first === second]).toEqual([true, true, false])
  const text = await page.content()
  expect([first, second].filter((secret) => text.includes(secret))).toEqual([])

  await choose('Wiki', 'Change')
  await page.getByLabel('Kind').selectOption('public')
  await page.getByLabel('It shows a code that people type elsewhere').check()
  await press('Save')
  await isTold('Wiki is changed.')
  expect(await wiki()).toMatchObject({
    type: 'public',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  })
  await choose('Wiki', 'Remove')
  await press('Remove')
  await isTold('Wiki is removed.')
  expect(await wiki()).toBeUndefined()
})

it('tells in plain words who did what, and finds it again', async () => {
  await page.getByRole('link', { name: 'Audit log' }).click()
  const first = page.getByRole('row').nth(1)
  await first.getByText('Removed an OIDC client').waitFor()
  await first.getByText('removeClient').waitFor()
  await first.getByText('ada', { exact: true }).waitFor()
  await page.getByLabel('Action').selectOption('Signed up')
  await expect.poll(() => page.getByRole('row').count()).toBe(3)
  await page.getByLabel('About the account of').selectOption(BO)
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await page.getByLabel('Action').selectOption('Anything')
  await page.getByLabel('About the account of').selectOption('Everybody')
  await page.getByLabel('Outcome').selectOption('Refused')
  await row('createClient').getByText('invalid_input').waitFor()
  await page.getByLabel('Words').fill('NOTHING LIKE IT')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.getByLabel('Words').fill('RESETAUTH')
  await page.getByRole('button', { name: 'Search' }).click()
  await row('u2 ').getByText('Reset somebody’s second factors').waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
})
