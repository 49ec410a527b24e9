import type { Page, Response } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { EmulatedPlatform } from '@gatepost/emulators'
import { type ConsoleWorld, consoleWorld } from '../../testing/console-world.ts'

let world: ConsoleWorld
const answers: string[] = []
const shown: string[] = []
const secrets: string[] = []

beforeAll(async () => {
  world = await consoleWorld(['telegram', 'weixin', 'feishu', 'discord', 'wecom', 'dingtalk'])
})
afterAll(() => world[Symbol.asyncDispose]())

/** Fails on browser errors other than intended rejections, and on leaked secrets. */
afterEach(async () => {
  const problems = await world.browser.closePages().then(
    () => '',
    (error: Error) => error.message,
  )
  const unexpected = problems.split('\n').filter((line) => line.startsWith('console:') || line.startsWith('page:'))
  expect(unexpected.filter((line) => !line.includes('status of 422'))).toEqual([])
  expect(answers).not.toEqual([])
  for (const secret of secrets) expect([...answers, ...shown].join('\n')).not.toContain(secret)
})

/** Opens a page and records its API responses. */
async function open(path: string): Promise<Page> {
  const page = await world.open(path)
  page.on('response', (response) => void recordResponse(response))
  return page
}

async function recordResponse(response: Response): Promise<void> {
  const isStream = response.headers()['content-type']?.startsWith('text/event-stream') === true
  if (!response.url().includes('/api/') || isStream) return
  answers.push(await response.text().catch(() => '')) // the page was left
}

/** Returns the content's width at several window widths. */
async function widths(page: Page): Promise<readonly number[]> {
  const found: number[] = []
  for (const width of [360, 820, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    found.push(await page.evaluate<number>('document.documentElement.scrollWidth'))
  }
  return found
}

/** Records the page's HTML, including attributes but not typed values. */
const recordHtml = async (page: Page): Promise<void> => void shown.push(await page.content())

async function readSecrets(platform: EmulatedPlatform, ...names: readonly string[]): Promise<Record<string, string>> {
  const { credentials } = await world.emulator(platform).control.bot()
  secrets.push(...names.map((name) => credentials[name] ?? 'none'))
  return credentials
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const channel = (platform: string) => world.gatepost.call('GET', `/api/channels/${platform}`)

it('guides a new account to the first message', async () => {
  const page = await open('channels')
  await heading(page, 'Connect your first platform').waitFor()
  await button(page, 'Start demo').waitFor()
  await page.goto(`${world.gatepost.url}/console/welcome`)
  await page.getByText('1 of 4 done').waitFor()
  await button(page, 'Start demo').waitFor()
  await page.getByRole('button', { name: /^Telegram/ }).click()
  const token = page.getByLabel('Bot token', { exact: true })
  await token.fill('my token is 12345')
  await page.getByText('Contains a space').waitFor()
  await token.fill(`123456789:${'x'.repeat(29)}`)
  await page.getByText('A bot token looks like').waitFor()
  await token.fill(`123456789:${'x'.repeat(30)}`)
  await page.getByText('Format looks correct').waitFor()
  await button(page, 'Test and connect').click()
  await page.getByRole('alert').filter({ hasText: 'Unauthorized' }).waitFor()
  expect(await channel('telegram')).toMatchObject({ has_config: false })
  const { bot_token: right = '' } = await readSecrets('telegram', 'bot_token')
  await token.fill(`  ${right}\n`)
  await button(page, 'Test only').click()
  await page.getByText('Nothing has been saved yet').waitFor()
  expect(await channel('telegram')).toMatchObject({ has_config: false })
  await button(page, 'Test and connect').click()
  await heading(page, 'Telegram is connected').waitFor()
  await world.emulator('telegram').control.say({ from: { id: '7001', name: 'Ann' }, text: 'Hello from Ann' })
  await page.getByText('Hello from Ann', { exact: true }).waitFor()
  await button(page, 'Next step').click()
  await page.getByText('Keep Echo for now').click()
  await button(page, 'Save and continue').click()
  await heading(page, "You're all set").waitFor()
  await page.getByText('4 of 4 done').waitFor()
  await recordHtml(page)
  expect(await world.gatepost.call('GET', '/api/assistant')).toMatchObject({ kind: 'echo' })
})

it('connects with a QR code that expires once, an invite, and swapped values', async () => {
  await readSecrets('weixin', 'token')
  await readSecrets('feishu', 'app_secret')
  await readSecrets('dingtalk', 'client_secret')
  await Promise.all([scanWeixin(), scanFeishu(), scanDingtalk(), inviteToDiscord(), pasteWecom()])
  expect(await channel('weixin')).toMatchObject({ state: 'running', allowed_users: ['wx-ann'] })
  expect(await channel('feishu')).toMatchObject({ running: true })
})

/** Weixin issues a new QR code automatically. */
async function scanWeixin(): Promise<void> {
  const { control } = world.emulator('weixin')
  const page = await open('channels/weixin/setup')
  await page.getByRole('img', { name: 'QR code for Weixin' }).waitFor()
  await control.scan({ act: 'expire' })
  await page.getByText('The previous QR code expired').waitFor()
  await control.scan({ act: 'scan' })
  await page.getByText('Scanned. Confirm on your phone.').waitFor()
  await control.scan({ act: 'ask_code', code: '4711' })
  const number = page.getByLabel('Number shown on your phone')
  await number.fill('1')
  await button(page, 'Continue').click()
  await page.getByText("That number didn't match").waitFor()
  await number.fill('47 11')
  await button(page, 'Continue').click()
  await control.scan({ act: 'confirm', userId: 'wx-ann' })
  await heading(page, 'Weixin is connected').waitFor()
  await recordHtml(page)
}

/** Feishu needs a click for a new QR code. */
async function scanFeishu(): Promise<void> {
  const { control } = world.emulator('feishu')
  await control.injectFault({ kind: 'activate_status', status: 1, times: null } as never) // a fault specific to Feishu
  const page = await open('channels/feishu/setup')
  await page.getByRole('img', { name: 'QR code for Feishu' }).waitFor()
  await control.scan({ act: 'expire' })
  await heading(page, 'QR code expired').waitFor()
  await button(page, 'Get a new QR code').click()
  await page.getByRole('img', { name: 'QR code for Feishu' }).waitFor()
  await control.scan({ act: 'confirm' })
  await heading(page, 'Feishu is connected').waitFor()
  await recordHtml(page)
}

/** DingTalk reports a scan only once it's confirmed. */
async function scanDingtalk(): Promise<void> {
  const page = await open('channels/dingtalk/setup')
  await page.getByRole('img', { name: 'QR code for DingTalk' }).waitFor()
  await page.getByText(/^[12]:\d\d:\d\d$/).waitFor()
  await world.emulator('dingtalk').control.scan({ act: 'confirm' })
  await heading(page, 'DingTalk is connected').waitFor()
  await recordHtml(page)
}

/** Enters the token, then the bot joins a server while the page waits. */
async function inviteToDiscord(): Promise<void> {
  const { bot_token: token = '' } = await readSecrets('discord', 'bot_token')
  const page = await open('channels/discord/setup')
  await page.getByLabel('Bot token', { exact: true }).fill(`Bot ${token}`)
  await button(page, 'Test and connect').click()
  await heading(page, 'Add the bot to a server').waitFor()
  const invitation = await page.getByRole('link', { name: /^Open invite link/ }).getAttribute('href')
  expect(invitation).toContain('/oauth2/authorize?client_id=')
  await world.emulator('discord').control.scan({ act: 'join', id: '5001', title: 'Reading club' })
  await page.getByText('The bot joined "Reading club".').waitFor()
  await heading(page, 'Discord is connected').waitFor()
  await recordHtml(page)
}

/** Leaving the page cancels the setup; returning starts a new one. */
async function pasteWecom(): Promise<void> {
  const page = await open('channels')
  const begun = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/setup'),
  )
  await page
    .getByRole('link', { name: /^WeCom/ })
    .or(page.getByRole('link', { name: 'Set up WeCom' }))
    .click()
  const { id: setup } = JSON.parse(await (await begun).text()) as { id: string } // every setup has it
  await page.getByRole('link', { name: 'Channels', exact: true }).first().click()
  await expect.poll(() => channel(`wecom/setup/${setup}`)).toMatchObject({ state: 'failed', error: 'cancelled' })
  const { bot_id: id = '', secret = '' } = await readSecrets('wecom', 'secret')
  await page.goto(`${world.gatepost.url}/console/channels/wecom/setup`)
  await page.getByRole('img', { name: /"Get Secret" button highlighted/ }).waitFor()
  await page.getByLabel('Bot ID', { exact: true }).fill(secret)
  await page.getByLabel('Secret', { exact: true }).fill(id)
  await page.getByText('These two values seem to be swapped.').first().waitFor()
  await button(page, 'Swap values').click()
  await button(page, 'Test and connect').click()
  await heading(page, 'WeCom is connected').waitFor()
  await recordHtml(page)
}

it('shows status changes, and disables and enables a channel', async () => {
  await world.emulator('discord').control.revoke()
  const page = await open('channels')
  const card = (name: string) => page.getByRole('article').filter({ has: heading(page, name) })
  await card('Discord').getByText('Credentials rejected').waitFor()
  await card('Feishu').getByText('Needs attention').waitFor()
  await card('Telegram').getByText('1 of 1 person').waitFor()
  await card('WeCom').getByText('Running', { exact: true }).waitFor()
  const telegram = world.emulator('telegram').control
  await telegram.injectFault({ kind: 'drop_before', times: null })
  await telegram.dropConnections()
  await card('Telegram')
    .getByText(/^Next retry in \d:\d\d$/)
    .waitFor()
  await telegram.clearFaults()
  const toggle = card('Telegram').getByRole('switch', { name: 'Enable Telegram' })
  await toggle.click()
  await card('Telegram').getByText('Disabled', { exact: true }).waitFor()
  await expect.poll(() => channel('telegram')).toMatchObject({ enabled: false })
  await toggle.click()
  await card('Telegram').getByText('Running', { exact: true }).waitFor()
  expect(await channel('telegram')).toMatchObject({ enabled: true, running: true })
  await recordHtml(page)
  await card('Discord').getByRole('link', { name: 'Discord', exact: true }).click()
  await page.getByText('Discord rejected the credentials.').waitFor()
  await expect.poll(() => page.evaluate('document.activeElement?.outerHTML')).toMatch(/^<h1[^>]*>Discord</)
  await button(page, 'Test connection').click()
  await page.getByRole('alert').filter({ hasText: '401' }).waitFor()
})

it('sets allowed people, tests the credentials, and removes the channel after confirmation', async () => {
  const telegram = world.emulator('telegram').control
  const page = await open('channels/telegram')
  const row = page.getByRole('row').filter({ hasText: 'Ann' })
  await row.getByText('7001').waitFor()
  await button(page, 'Test connection').click()
  await page.getByText('The platform accepted the credentials of @').waitFor()
  await page.getByText('Only these people').click()
  await button(page, 'Save changes').click()
  await page.getByText('Add at least one person').waitFor()
  await page.getByLabel('Add a person').fill('8002')
  await button(page, 'Add ID "8002"').click()
  await button(page, 'Save changes').click()
  await row.getByText('No', { exact: true }).waitFor()
  expect(await channel('telegram')).toMatchObject({ allowed_users: ['8002'] })
  await telegram.say({ from: { id: '8002', name: 'Milo' }, text: 'May I?' })
  await page.getByRole('row').filter({ hasText: 'Milo' }).waitFor()
  await telegram.say({ from: { id: '8003', name: 'W'.repeat(120) }, text: 'Do I fit?' })
  await page.getByRole('row').filter({ hasText: 'WWW' }).waitFor()
  expect(await widths(page)).toEqual([360, 820, 1440])
  await page.getByLabel('Add a person').fill('ann')
  await page.getByRole('button', { name: /^Ann/ }).click()
  await expect.poll(() => page.evaluate('document.activeElement?.tagName')).not.toBe('BODY')
  await button(page, 'Save changes').click()
  await row.getByText('No', { exact: true }).waitFor({ state: 'detached' })
  expect(await channel('telegram')).toMatchObject({ allowed_users: ['8002', '7001'] })
  await page.getByLabel('Replies in groups').selectOption('No replies in groups')
  await expect.poll(() => channel('telegram')).toMatchObject({ group_policy: 'nobody' })
  await page.getByText('Changes saved. They apply immediately.').last().waitFor()
  await world.gatepost.call('POST', '/api/channels/telegram', { group_policy: 'everybody' })
  const policy = page.getByLabel('Replies in groups')
  await expect.poll(() => policy.inputValue()).toBe('everybody')
  await page.getByLabel('Reply format').selectOption('HTML')
  await button(page, 'Save changes').click()
  await expect.poll(() => channel('telegram')).toMatchObject({ parse_mode: 'HTML' })
  await recordHtml(page)
  await button(page, 'Remove channel').click()
  const dialog = page.getByRole('alertdialog', { name: 'Remove Telegram?' })
  await button(page, 'Remove channel').and(dialog.getByRole('button')).click()
  await heading(page, "Telegram isn't connected yet").waitFor()
  await page.getByText('Telegram removed.').waitFor()
  expect(await channel('telegram')).toMatchObject({ has_config: false, has_token: false })
  await page.goto(`${world.gatepost.url}/console/channels/icq`)
  await heading(page, 'Page not found').waitFor()
})
