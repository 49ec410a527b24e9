import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleWorld, consoleWorld } from '../../testing/console-world.ts'
import { pageFaults } from '@gatepost/emulators/page-checks'

const PLATFORMS = ['telegram', 'feishu', 'weixin'] as const
const GRACE = { id: '501', name: 'Grace Hopper' }
const REFUSED = { kind: 'error', code: 400, description: 'Bad Request: made up', method: 'sendMessage' }

let world: ConsoleWorld
let page: Page
beforeAll(async () => {
  world = await consoleWorld(PLATFORMS)
  for (const platform of PLATFORMS) await world.connect(platform)
  page = await world.open('conversations')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

/** Returns the bot's messages as people see them on a platform. */
async function shown(platform: (typeof PLATFORMS)[number]): Promise<readonly string[]> {
  return (await world.emulator(platform).control.sent()).map(({ text }) => text)
}
const transcript = (): Locator => page.getByRole('region', { name: 'Messages, oldest first' })
const bubble = (text: string): Locator => transcript().getByRole('listitem').filter({ hasText: text })
const rows = (): Locator => page.getByRole('list', { name: 'Conversations, newest first' }).getByRole('listitem')
const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click()
const seeText = (text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor()

it('shows new conversations live, and searches them', async () => {
  await page.getByRole('heading', { name: 'No conversations yet' }).waitFor()
  const { control: telegram } = world.emulator('telegram')
  await telegram.say({ from: GRACE, text: 'Can you explain compilers?' })
  await world.emulator('feishu').control.say({ from: { id: 'ou_ming' }, text: '你好' })
  await world.emulator('weixin').control.say({ from: { id: 'wx_lin' }, text: 'Anyone there?' })
  await expect.poll(() => rows().count()).toBe(3)
  await page.getByRole('searchbox', { name: 'Search' }).fill('COMPILERS')
  await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining('Grace Hopper')])
  expect(new URL(page.url()).searchParams.get('q')).toBe('COMPILERS')
  await page.getByRole('combobox', { name: 'Platform' }).selectOption('Feishu')
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  await press('Clear filters')
  await expect.poll(() => rows().count()).toBe(3)
  await page.getByRole('combobox', { name: 'Platform' }).selectOption('Feishu')
  await expect.poll(() => rows().allInnerTexts()).toEqual([expect.stringContaining('你好')])
  await page.getByRole('combobox', { name: 'Platform' }).selectOption('All platforms')
})

it('shows a conversation live, and sends a message', async () => {
  await rows().filter({ hasText: 'Grace Hopper' }).click()
  await page.getByRole('heading', { level: 1, name: 'Grace Hopper' }).waitFor()
  await bubble('You said').filter({ hasText: 'Delivered' }).filter({ hasText: 'Reply' }).waitFor()
  await world.emulator('telegram').control.say({ from: GRACE, text: 'And linkers?' })
  await bubble('And linkers?').filter({ hasText: 'Replied' }).waitFor()
  await page.getByRole('textbox', { name: 'Message to Grace Hopper' }).fill('The **build** is done')
  await page.keyboard.press('Enter')
  await bubble('The build is done').filter({ hasText: 'Message' }).filter({ hasText: 'Delivered' }).waitFor()
  await expect.poll(() => page.getByRole('textbox', { name: 'Message to Grace Hopper' }).inputValue()).toBe('')
  expect((await shown('telegram')).at(-1)).toContain('build')
})

it('loads earlier messages on scrolling, and keeps the scroll position', async () => {
  const { control } = world.emulator('telegram')
  for (let number = 0; number < 55; number++) await control.say({ from: GRACE, text: `Number ${number}.` })
  await bubble('Number 54.').filter({ hasText: 'Replied' }).waitFor()
  await page.reload()
  await bubble('Number 54.').first().waitFor()
  expect(await bubble('Can you explain compilers?').count()).toBe(0)
  // 0 is the bottom
  await transcript().evaluate((element) => {
    element.scrollTop = 200 + element.clientHeight - element.scrollHeight
  })
  const seen = bubble('Number 12.').first()
  const before = await seen.boundingBox()
  await bubble('Can you explain compilers?').first().waitFor({ state: 'attached' })
  expect(before).not.toBeNull()
  expect(await seen.boundingBox()).toEqual(before)
})

it('reports a rejection and keeps the text; the failed message can be dismissed', async () => {
  await world.emulator('telegram').control.injectFault(REFUSED)
  const field = page.getByRole('textbox', { name: 'Message to Grace Hopper' })
  await field.fill('This is refused')
  await press('Send')
  const refused = bubble('This is refused')
  await refused.getByText('The platform rejected the content. (Bad Request: made up)').waitFor()
  await page.getByRole('alert').filter({ hasText: 'made up' }).waitFor()
  expect(await field.inputValue()).toBe('This is refused')
  await rows().filter({ hasText: '1 needs attention' }).waitFor()
  await refused.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(() => refused.getByRole('button').count()).toBe(0)
  await expect.poll(() => rows().filter({ hasText: 'needs attention' }).count()).toBe(0)
  await page.reload()
  expect(await field.inputValue()).toBe('This is refused')
  await field.fill('')
})

it('previews a message on each platform, and sends it once', async () => {
  await page.getByRole('link', { name: 'New message' }).click()
  await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor()
  await press('Send')
  await seeText('Select at least one person.')
  await page.getByRole('checkbox', { name: /^Grace Hopper/ }).check()
  await page
    .getByRole('textbox', { name: 'Message' })
    .fill('# News\n\n- one\n- **two**\n\n`code` [here](https://example.org/x)')
  const preview = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Preview' }) })
  await preview.getByText('two').waitFor()
  expect(await preview.locator('strong', { hasText: 'two' }).count()).toBe(1)
  await preview.getByText(/^\d+ of 4,000 characters$/).waitFor()
  await page.getByRole('button', { name: 'Send to Grace Hopper' }).dblclick()
  await seeText('1 delivered')
  expect((await shown('telegram')).filter((text) => text.includes('News'))).toHaveLength(1)
  await press('Send another message')
})

it('sends to people on several platforms, shows each result, and retries the failed one', async () => {
  await world.emulator('telegram').control.injectFault(REFUSED)
  const answered = Promise.withResolvers<void>() // until then one message is being sent
  await page.route('**/api/channels/weixin/send', async (route) => {
    await answered.promise
    await route.continue()
  })
  for (const name of [/^Grace Hopper/, 'ou_ming', 'wx_lin']) await page.getByRole('checkbox', { name }).check()
  await page.getByRole('textbox', { name: 'Message' }).fill('To all of you')
  await press('Send to 3 people')
  const question = page.getByRole('alertdialog', { name: 'Send to 3 people?' })
  expect(await question.innerText()).toContain('Weixin: 1 person')
  await question.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('link', { name: 'Doctor' }).click()
  await page.getByRole('alertdialog', { name: 'Stop sending?' }).getByRole('button', { name: 'Cancel' }).click()
  answered.resolve()
  await seeText('2 delivered')
  const grace = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Grace Hopper' })
  expect(await grace.innerText()).toMatch(/Failed[^]*made up/)
  expect(await shown('telegram')).not.toContain('To all of you')
  await press('Retry 1')
  await seeText('3 delivered')
  for (const platform of PLATFORMS) {
    expect((await shown(platform)).filter((text) => text.includes('To all of you'))).toHaveLength(1)
  }
})

it('retries failed messages from their list', async () => {
  await world.emulator('telegram').control.injectFault({ ...REFUSED, times: 2 })
  await press('Send another message')
  await page.getByRole('checkbox', { name: /^Grace Hopper/ }).check()
  for (const text of ['First of two', 'Second of two']) {
    await page.getByRole('textbox', { name: 'Message' }).fill(text)
    await press('Send to Grace Hopper')
    await seeText('1 failed')
    await press('Back to editing')
  }
  await page.goto(`${world.gatepost.url}/console/failed`)
  const list = page.getByRole('list', { name: 'Failed messages, newest first' })
  const items = list.locator(':scope > li')
  await expect.poll(() => items.count()).toBe(2)
  expect(await items.first().innerText()).toMatch(/Grace Hopper[^]*Second of two[^]*Rejected[^]*made up/)
  await items.first().getByRole('button', { name: 'Retry' }).click()
  await seeText('Message to Grace Hopper delivered.')
  await expect.poll(() => items.count()).toBe(1)
  await page.getByRole('checkbox', { name: 'Select all' }).check()
  await press('Retry 1')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'No failed messages' }).waitFor()
  expect((await shown('telegram')).filter((text) => text.includes('of two'))).toEqual(['Second of two', 'First of two'])
})

it('fits a phone, in dark mode and in Chinese', async () => {
  const phone = await world.open('conversations', { width: 360, theme: 'dark', language: 'zh' })
  await phone.getByRole('link', { name: /Grace Hopper/ }).click()
  await phone.getByRole('textbox', { name: '发给Grace Hopper的消息' }).waitFor()
  const list = phone.getByRole('list', { name: '会话列表，按时间倒序' })
  expect(await list.isVisible()).toBe(false)
  expect(await pageFaults(phone)).toEqual([])
  await phone.getByRole('link', { name: '全部会话' }).click()
  await phone.getByRole('heading', { level: 1, name: '会话' }).waitFor()
  await list.waitFor()
  expect(await pageFaults(phone)).toEqual([])
  await phone.goto(`${world.gatepost.url}/console/send`)
  await phone.getByRole('checkbox', { name: /^Grace Hopper/ }).waitFor()
  expect(await pageFaults(phone)).toEqual([])
  // browsers log every failed request
  const noted = await world.browser.closePages().then(
    () => '',
    (error: Error) => error.message,
  )
  expect(
    noted.split('\n').filter((line) => line !== 'In the browser:' && !/status of 502.*\/send\)$/.test(line)),
  ).toEqual([])
})
