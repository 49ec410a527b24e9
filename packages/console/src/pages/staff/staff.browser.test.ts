import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { consoleWorld, PERSON, totpCode, type ConsoleWorld } from '../../testing/console-world.ts'

const EMAIL = 'bo@example.org'
/** The name derived from the email address. */
const BO = 'bo'

let world: ConsoleWorld
/** The page of the first account, which is staff. */
let page: Page
/** The page of the invited person. */
let bo: Page
beforeAll(async () => {
  world = await consoleWorld([])
  page = await world.open('staff')
})
afterAll(async () => {
  // only what the service rejected
  await expect(world.browser.closePages()).rejects.toThrow(/^In the browser:\nconsole: [^\n]* 422 [^\n]*\/clients\)$/)
  await world[Symbol.asyncDispose]()
})

type Row = Readonly<Record<string, unknown>>

async function rows(path: string, name: string): Promise<readonly Row[]> {
  const answer = (await world.gatepost.call('GET', path)) as Readonly<Record<string, readonly Row[]>> // the API's shape
  return answer[name] ?? []
}
const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name })
/** Toasts are dialogs too, without a heading. */
const dialog = () =>
  page
    .getByRole('dialog')
    .or(page.getByRole('alertdialog'))
    .filter({ has: page.getByRole('heading') })
const press = (name: string | RegExp) => dialog().getByRole('button', { name }).click()
async function choose(whose: string, act: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${whose}` }).click()
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}
const seeText = (what: string | RegExp) => page.getByText(what).first().waitFor()
const gone = () => dialog().waitFor({ state: 'detached' })

it('invites people with a link that is shown once, and revokes invitations', async () => {
  await page.getByText('No pending invitations').waitFor()
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('Email address').fill('nowhere')
  await press('Create link')
  await page.getByText('Enter a valid email address.').waitFor()
  expect(await page.getByLabel('Email address').evaluate((field) => field === document.activeElement)).toBe(true)
  await page.getByLabel('Email address').fill('cy@example.org')
  await page.getByRole('checkbox', { name: /^Staff/ }).check()
  await press('Create link')
  await seeText('We also sent it to cy@example.org.')
  await press('Done')
  await row('cy@example.org').getByText('Staff').waitFor()
  expect(await rows('/api/invitations', 'invitations')).toMatchObject([{ email: 'cy@example.org', staff: true }])

  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('Email address').fill(EMAIL)
  await press('Create link')
  const link = (await dialog().locator('code').textContent()) ?? ''
  await press('Done')
  await row(EMAIL).waitFor()
  expect(await page.content()).not.toContain(link)
  bo = await world.join(link, EMAIL)

  await page.getByRole('button', { name: 'Revoke the invitation: cy@example.org' }).click()
  await press('Revoke')
  await seeText('Invitation revoked.')
  expect(await rows('/api/invitations', 'invitations')).toEqual([])
})

/** Adds an authenticator app on the account pages, after reauthentication. */
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

it('denies access to members, as does the API', async () => {
  await bo.goto(`${world.gatepost.url}/console/staff/clients`)
  await bo.getByRole('heading', { name: 'Staff only' }).first().waitFor()
  const pages = await bo.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link').allTextContents()
  expect([pages.includes('Channels'), pages.includes('Staff')]).toEqual([true, false])
  const asked = ['accounts', 'invitations', 'admin/social-apps', 'admin/providers', 'admin/clients', 'audit']
  const refused = await Promise.all(asked.map((path) => bo.request.get(`${world.gatepost.url}/api/${path}`)))
  expect(refused.map((answer) => answer.status())).toEqual(asked.map(() => 403))
})

it('changes roles, disables and enables accounts, and resets two-factor authentication', async () => {
  await page.reload()
  const own = row('ada@example.org')
  await own.getByText("You can't change your own role. Ask another staff member.").waitFor()
  expect(await own.getByRole('button').count()).toBe(0)

  await choose(BO, 'Make staff')
  await seeText('Staff can view and change all accounts')
  await press('Make staff')
  await seeText(`${BO} is now staff.`)
  await gone()
  await bo.goto(`${world.gatepost.url}/console/staff`)
  await bo.getByText("The owner token's account. You can change it only with that token.").waitFor()
  await choose(BO, 'Remove staff role')
  await press('Remove role')
  await seeText(`${BO} is no longer staff.`)
  await gone()

  await addTotp()
  await page.reload()
  await row(EMAIL).getByText('Authenticator app').waitFor()
  await choose(BO, 'Reset two-factor authentication')
  await press('Reset')
  await row(EMAIL).getByText('Off').waitFor()
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
  await seeText(`${BO}'s account enabled.`)
  await gone()

  await page.getByLabel('Search').fill('nobody like that')
  await seeText('No results')
  await page.getByLabel('Search').fill('BO@')
  await choose(BO, 'View channels')
  await seeText("You're viewing the channels of account u2.")
  await page.getByRole('button', { name: 'Back to my channels' }).click()
})

it('adds, edits and removes social login providers without revealing secrets', async () => {
  await page.getByRole('link', { name: 'Staff', exact: true }).click()
  await page.getByRole('link', { name: 'Social login' }).click()
  await seeText('No providers')
  await page.getByRole('button', { name: 'Add provider' }).click()
  await page.getByLabel('Provider', { exact: true }).selectOption('OpenID Connect')
  await press('Add provider')
  await seeText('Required.')
  await page.getByLabel('Provider ID').fill('acme')
  const callback = `${world.gatepost.url}/accounts/oidc/acme/login/callback/`
  await dialog().getByText(callback).waitFor()
  await page.getByLabel('Provider URL').fill('https://id.example.org')
  await page.getByLabel('Client ID').fill('made-up-id')
  await page.getByLabel('Client secret').fill('made-up-social-secret')
  await page.getByLabel('Display name').fill('Acme')
  await press('Add provider')
  await seeText('Acme added.')
  await row(callback).getByText('Secret saved').waitFor()
  expect(await rows('/api/admin/social-apps', 'social_apps')).toMatchObject([
    { provider: 'openid_connect', provider_id: 'acme', settings: { server_url: 'https://id.example.org' } },
  ])

  await choose('Acme', 'Edit')
  await seeText('Leave empty to keep the saved value.')
  expect(await page.getByLabel('Client secret').inputValue()).toBe('')
  await page.getByLabel('Client ID').fill('another-id')
  await dialog().getByText('More settings').first().click()
  await dialog().getByRole('textbox', { name: 'More settings' }).fill('{"hidden": tru')
  await press('Save changes')
  await seeText('Enter a valid JSON object.')
  await dialog().getByRole('textbox', { name: 'More settings' }).fill('{"hidden": true}')
  await press('Save changes')
  await seeText('Acme saved.')
  await row('another-id').getByText('Hidden').waitFor()
  expect(await rows('/api/admin/social-apps', 'social_apps')).toMatchObject([
    { client_id: 'another-id', has_secret: true, settings: { server_url: 'https://id.example.org', hidden: true } },
  ])
  await choose('Acme', 'Remove')
  await press('Remove')
  await seeText('No providers')
  expect(await rows('/api/admin/social-apps', 'social_apps')).toEqual([])
})

it('registers clients, shows each secret once, and removes them', async () => {
  await page.getByRole('link', { name: 'OAuth clients' }).click()
  await page.getByText(`${world.gatepost.url}/.well-known/openid-configuration`).waitFor()
  await page.getByRole('button', { name: 'Register client' }).click()
  await press('Register client')
  expect(await page.getByLabel('Name', { exact: true }).evaluate((field) => field === document.activeElement)).toBe(
    true,
  )
  await page.getByLabel('Name', { exact: true }).fill('Wiki')
  await page.getByLabel('Redirect URIs', { exact: true }).fill('http://wiki.example.org/back')
  await press('Register client')
  await seeText("One of these isn't valid.")
  await page.getByLabel('Redirect URIs', { exact: true }).fill('https://wiki.example.org/back\n\n')
  await page.getByLabel('View channels and conversations').check()
  await press('Register client')
  await seeText('You can see this secret only once.')
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

  await choose('Wiki', 'Renew secret')
  await press('Renew secret')
  await seeText('Client secret for Wiki')
  const second = (await dialog().locator('code').first().textContent()) ?? ''
  await press('Done')
  expect([first.length > 20, second.length > 20, first === second]).toEqual([true, true, false])
  const text = await page.content()
  expect([first, second].filter((secret) => text.includes(secret))).toEqual([])

  await choose('Wiki', 'Edit')
  await page.getByLabel('Type', { exact: true }).selectOption('public')
  await page.getByLabel('Device code (people enter a code on another device)').check()
  await press('Save changes')
  await seeText('Wiki saved.')
  expect(await wiki()).toMatchObject({
    type: 'public',
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  })
  await choose('Wiki', 'Remove')
  await press('Remove')
  await seeText('Wiki removed.')
  expect(await wiki()).toBeUndefined()
})

it('describes actions in the audit log, and filters them', async () => {
  await page.getByRole('link', { name: 'Audit log' }).click()
  const first = page.getByRole('row').nth(1)
  await first.getByText('Removed an OAuth client').waitFor()
  await first.getByText('removeClient').waitFor()
  await first.getByText('ada', { exact: true }).waitFor()
  await page.getByLabel('Action').selectOption('Signed up')
  await expect.poll(() => page.getByRole('row').count()).toBe(3)
  await page.getByLabel('Account', { exact: true }).selectOption(BO)
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  await page.getByLabel('Action').selectOption('All actions')
  await page.getByLabel('Account', { exact: true }).selectOption('All accounts')
  await page.getByLabel('Outcome').selectOption('Rejected')
  await row('createClient').getByText('invalid_input').waitFor()
  await page.getByLabel('Search').fill('NOTHING LIKE IT')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Search').fill('RESETAUTH')
  await page.getByRole('button', { name: 'Search' }).click()
  await row('u2 ').getByText("Reset an account's two-factor authentication").waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
})
