import { type RunningEmulator, startEmulators } from '@gatepost/emulators'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'

let family: readonly RunningEmulator[]
let browser: TestBrowser

beforeAll(async () => {
  family = await startEmulators()
  browser = await launchBrowser()
})
afterEach(async () => {
  for (const { control } of family) await control.clearFaults()
  await browser.closePages()
})
afterAll(async () => {
  await browser.close()
  await Promise.all(family.map((emulator) => emulator.close()))
})

const of = (platform: string): RunningEmulator => {
  const found = family.find((emulator) => emulator.platform === platform)
  if (!found) throw new Error(`no emulator of ${platform}`)
  return found
}
const write = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}
const mine = (page: Page, hasText: string): Locator => page.locator('.mine', { hasText })
const answers = (page: Page, hasText: string): Locator => page.locator('.of-bot', { hasText })
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()

/** Calls of Feishu's API, as its bot would make them. */
async function feishuBot() {
  const { url, control } = of('feishu')
  const { app_id, app_secret } = (await control.bot()).credentials
  const ask = async (
    path: string,
    method: string,
    body: object,
    token = '',
  ): Promise<{ data: Record<string, string>; tenant_access_token?: string }> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const response = await fetch(`${url}/open-apis${path}`, { method, headers, body: JSON.stringify(body) })
    return (await response.json()) as { data: Record<string, string>; tenant_access_token?: string } // the emulator's own answer
  }
  const { tenant_access_token: token } = await ask('/auth/v3/tenant_access_token/internal', 'POST', {
    app_id,
    app_secret,
  })
  return (path: string, method: string, body: object) => ask(path, method, body, token)
}
const card = (content: string, streaming_mode: boolean): string =>
  JSON.stringify({
    schema: '2.0',
    config: { update_multi: true, streaming_mode },
    body: { elements: [{ tag: 'markdown', element_id: 'a', content }] },
  })

const PLATFORMS = ['feishu', 'wecom', 'weixin', 'discord', 'dingtalk'] as const

/** A switch of each platform that waits for a call. */
const A_FAULT = {
  feishu: 'Next send: wait 5 s',
  wecom: 'Acknowledgment lost',
  weixin: 'Quota used up',
  discord: 'Too many requests',
  dingtalk: 'Too many calls',
} as const

describe.each(PLATFORMS)('%s', (platform) => {
  it('shows what a person writes, a picture too, also after the page was loaded again', async () => {
    const page = await browser.open(`${of(platform).page}?user=stranger`)
    await page.getByText('No messages yet').waitFor()
    await write(page, 'hello <b>there</b>')
    await mine(page, 'hello <b>there</b>').waitFor()
    await page
      .getByLabel('Attach an image or a file')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PNG })
    await press(page, /^Send$/)
    const photo = page.locator('.mine img')
    await photo.waitFor()
    await expect.poll(() => photo.evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth)).toBe(1)
    await page.reload()
    await mine(page, 'hello <b>there</b>').waitFor()
    await photo.waitFor()
  })

  it('keeps people apart', async () => {
    const page = await browser.open(of(platform).page)
    await press(page, /^Milo/)
    await write(page, 'from Milo')
    await mine(page, 'from Milo').waitFor()
    await press(page, /^Yuki/)
    await page.getByText('No messages yet').waitFor()
    expect(await page.getByText('from Milo').count()).toBe(0)
  })

  it('shows what a person answers', async () => {
    const page = await browser.open(`${of(platform).page}?user=replier`)
    await write(page, 'first')
    await mine(page, 'first').waitFor()
    await press(page, /^Reply: first/)
    await write(page, 'second')
    const answered = mine(page, 'second').locator('.answered')
    await answered.waitFor()
    expect(await answered.textContent()).toBe('replierfirst')
  })

  it('turns a fault on and off', async () => {
    const { page: address, control } = of(platform)
    const page = await browser.open(address)
    const button = page.getByRole('button', { name: A_FAULT[platform] })
    await button.and(page.locator('[aria-pressed=false]')).click()
    await button.and(page.locator('[aria-pressed=true]')).click()
    await button.and(page.locator('[aria-pressed=false]')).waitFor()
    expect(await control.faults()).toEqual([])
  })

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('can be read in %s at %i px', async (theme, width) => {
    const page = await browser.open(of(platform).page, { theme, width, height: 844 })
    await write(page, `Long: ${'unbroken'.repeat(30)}`)
    await mine(page, 'Long').first().waitFor()
    expect(await pageFaults(page)).toEqual([])
  })
})

it('shows an answer with its markup, and one that is being written', async () => {
  const call = await feishuBot()
  const page = await browser.open(`${of('feishu').page}?user=reader`)
  await write(page, 'which berth?')
  await mine(page, 'which berth?').waitFor()
  const [said] = await of('feishu').control.conversation({ chatId: 'reader' })
  const words =
    'Berth **4**, `now`, ``a`b``, 2 \\* 3 &#42; &lt;4\n\n- one\n- two\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1\n```\n[plan](https://example.org/x) <img src=x>'
  await call(`/im/v1/messages/${said?.messageId ?? ''}/reply`, 'POST', {
    msg_type: 'interactive',
    content: card(words, false),
  })
  const answer = answers(page, 'Berth')
  await answer.locator('strong', { hasText: '4' }).waitFor()
  expect(await answer.locator('.answered').textContent()).toContain('which berth?')
  expect(await answer.locator('.body > p').first().textContent()).toBe('Berth 4, now, a`b, 2 * 3 * <4')
  expect(await answer.locator('li').allTextContents()).toEqual(['one', 'two'])
  expect(await answer.locator('td').allTextContents()).toEqual(['1', '2'])
  expect(await answer.locator('pre[data-language=ts]').textContent()).toBe('const a = 1')
  await page.getByRole('button', { name: 'Reply: Berth 4, now, a`b, 2 * 3 * <4 one two' }).waitFor()
  expect(await answer.getByRole('link', { name: 'plan' }).getAttribute('href')).toBe('https://example.org/x')
  expect(await answer.locator('img').count()).toBe(0)
  const { data } = await call('/cardkit/v1/cards', 'POST', { type: 'card_json', data: card('', true) })
  const content = JSON.stringify({ type: 'card', data: { card_id: data['card_id'] } })
  await call('/im/v1/messages?receive_id_type=open_id', 'POST', {
    receive_id: 'ou_reader',
    msg_type: 'interactive',
    content,
  })
  await page.locator('.draft .caret').waitFor()
  const path = `/cardkit/v1/cards/${data['card_id'] ?? ''}`
  await call(`${path}/elements/a/content`, 'PUT', { content: 'Book', sequence: 1 })
  await page.locator('.draft', { hasText: 'Book' }).waitFor()
  await call(`${path}/elements/a/content`, 'PUT', { content: 'Booked', sequence: 2 })
  await call(`${path}/settings`, 'PATCH', { settings: '{"config":{"streaming_mode":false}}', sequence: 3 })
  await answers(page, 'Booked').and(page.locator(':not(.draft)')).waitFor()
})

it('offers the code of a set-up to the person who is chosen', async () => {
  const { page: address, url, control } = of('feishu')
  const page = await browser.open(address)
  const form = { action: 'begin', archetype: 'PersonalAgent', auth_method: 'client_secret' }
  await fetch(`${url}/oauth/v1/app/registration`, { method: 'POST', body: new URLSearchParams(form) })
  await page.getByText('A setup code is waiting for Ann to scan it.').waitFor()
  await press(page, /^Scan$/)
  await page.getByText('The setup code was scanned. Allow it?').waitFor()
  await press(page, /^Confirm$/)
  await page.locator('#setup').waitFor({ state: 'hidden' })
  expect((await control.bot()).setup).toBeNull()
})

it('speaks to the bot in a group, or not', async () => {
  const { page: address, control } = of('feishu')
  const page = await browser.open(address)
  await press(page, 'Harbour office group, as Ann')
  await write(page, 'which berth is free?')
  await mine(page, '@Gatepost which berth is free?').waitFor()
  await press(page, /^@Gatepost$/)
  await write(page, 'good morning all')
  await mine(page, 'good morning all').waitFor()
  await press(page, 'Harbour office group, as Milo')
  await page.locator('.theirs .from', { hasText: 'Ann' }).first().waitFor()
  const lines = await control.conversation({ chatId: 'harbour' })
  expect(lines.map(({ text }) => text)).toEqual(['@Gatepost which berth is free?', 'good morning all'])
})

it('links the pages of the family', async () => {
  const page = await browser.open(of('wecom').page)
  const tabs = page.getByRole('navigation', { name: 'Platforms' }).getByRole('link')
  await expect
    .poll(() => tabs.allTextContents())
    .toEqual(['Feishu', 'WeCom', 'Weixin', 'Discord', 'Telegram', 'DingTalk'])
  expect(await page.locator('[aria-current=page]').textContent()).toBe('WeCom')
  expect(await tabs.nth(4).getAttribute('href')).toBe(of('telegram').page)
})

/** One red dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

it.each([...PLATFORMS, 'telegram'])('is in Chinese when the address asks for it: %s', async (platform) => {
  const page = await browser.open(`${of(platform).page}?lang=zh&user=newcomer`)
  await page.getByText('暂无消息').waitFor()
  await page.getByRole('button', { name: /^切断网络/ }).waitFor()
  expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
  for (const selector of ['.facts dt', '.label', '.hint', '#switches button > span']) {
    const texts = await page.locator(selector).allTextContents()
    expect(texts.filter((text) => !/\p{Script=Han}/u.test(text))).toEqual([])
  }
  const links = await page.getByRole('navigation', { name: '平台' }).getByRole('link').all()
  for (const link of links) expect(await link.getAttribute('href')).toMatch(/\?lang=zh$/)
  expect(await pageFaults(page)).toEqual([])
})
