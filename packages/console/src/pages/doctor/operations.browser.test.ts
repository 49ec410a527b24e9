import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ChatModelEmulator, startChatModelEmulator } from '@gatepost/emulators'
import { type ConsoleWorld, consoleWorld } from '../../testing/console-world.ts'

const KEY = 'made-up-key-of-a-model-4711'
const ADA = { id: '501', name: 'Ada' }

let model: ChatModelEmulator
let world: ConsoleWorld
let page: Page

beforeAll(async () => {
  const answer = (request: { readonly model: string }): readonly string[] => [
    'This is ',
    `${request.model} `,
    'speaking.',
  ]
  model = await startChatModelEmulator({ apiKey: KEY, answer })
  world = await consoleWorld(['telegram'])
  await world.connect('telegram')
  // low enough for a few log lines to fill it
  page = await world.open('assistant', { height: 560 })
})
afterAll(async () => {
  await world.browser.closePages()
  await world[Symbol.asyncDispose]()
  await model.close()
})

const go = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click()
const press = (name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()
const assistant = (): Promise<unknown> => world.gatepost.call('GET', '/api/assistant')

/** Sends a message as Ada and returns all messages the bot has sent her. */
async function said(text: string, count: number): Promise<readonly string[]> {
  const { control } = world.emulator('telegram')
  await control.say({ from: ADA, text })
  return (await control.waitForSent({ count })).map((message) => message.text)
}

it('tries an assistant, saves it, and gets its replies on Telegram', async () => {
  expect(await said('Hello?', 1)).toEqual([expect.stringContaining('Hello?')])
  await page.getByRole('radio', { name: 'Language model' }).check()
  await press('Save changes')
  const address = page.getByLabel('Base URL')
  await expect.poll(() => address.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(await address.getAttribute('aria-invalid')).toBe('true')
  await address.fill(model.baseUrl)
  await page.getByLabel('Model', { exact: true }).fill('model-of-today')
  await press('Add key')
  await page.getByLabel('API key', { exact: true }).fill(KEY)

  await page.getByLabel('Message', { exact: true }).fill('Who are you?')
  await press(/^Send$/)
  await page.getByText('This is model-of-today speaking.').waitFor()
  await page.getByText(/^First token after .*, complete after .*\.$/).waitFor()
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'user', content: 'Who are you?' })
  expect(await assistant()).toMatchObject({ kind: 'echo', has_api_key: false, changed_at: null })
  model.fail({ type: 'status', status: 401, message: 'no' })
  await press(/^Send$/)
  await page.getByText('The assistant reported a configuration error.').waitFor()

  await press('Save changes')
  await page.getByText('Saved key: ****4711').waitFor()
  expect(await page.content()).not.toContain(KEY)
  expect(
    await page.locator('input').evaluateAll((fields) => fields.map((field) => 'value' in field && field.value)),
  ).not.toContain(KEY)
  expect(await said('And now?', 2)).toEqual([expect.anything(), expect.stringContaining('model-of-today speaking')])
})

it('confirms before discarding changes, and warns that a key stays with its host', async () => {
  await page.getByLabel('Base URL').fill('https://elsewhere.example/v1')
  await page.getByText('The saved key belongs to a different host').waitFor()
  await go('Logs')
  await press('Cancel')
  expect(await page.getByLabel('Base URL').inputValue()).toBe('https://elsewhere.example/v1')
  await go('Logs')
  await press('Discard and leave')
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  expect(await assistant()).toMatchObject({ kind: 'openai', model: 'model-of-today', api_key_hint: '****4711' })
})

it('searches the log, and follows it unless scrolled up', async () => {
  const log = page.getByRole('log')
  const lines = log.locator('summary')
  const change = (name: string): Promise<unknown> => world.gatepost.call('PATCH', '/api/assistant', { model: name })
  await page.getByText('Live', { exact: true }).waitFor()
  await log.getByText('Gatepost is ready').waitFor()
  await page.getByLabel('Search').fill('CHANGEASSISTANT')
  await page.waitForURL(/\?q=CHANGE/)
  await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining('action=changeAssistant')])
  await change('model-of-tomorrow')
  await expect.poll(() => lines.count()).toBe(2)
  await lines.last().click()
  await log.getByText('actor_kind', { exact: true }).waitFor()
  await page.getByLabel('Level').selectOption('Errors only')
  await page.getByRole('heading', { name: 'No matching lines' }).waitFor()
  expect(new URL(page.url()).searchParams.get('level')).toBe('error')

  await press('Clear filters')
  await lines.first().waitFor()
  await log.press('Home')
  await page.getByText('Paused while you scroll').waitFor()
  await change('model-of-today')
  await press(/^\d+ new lines?$/)
  await page.getByText('Live', { exact: true }).waitFor()
  await expect.poll(() => log.getByText('action=changeAssistant').count()).toBe(3)
})

it('counts the actual messages, in charts and in a table', async () => {
  await go('Analytics')
  const total = (name: string): Promise<string | null> =>
    page.locator('dl > div', { hasText: name }).locator('dd').first().textContent()
  const names = ['Messages received', 'Replied', 'Messages sent', 'Errors']
  // a sent message counts once its outcome is known
  await expect.poll(() => Promise.all(names.map(total))).toEqual(['2', '2', '2', '0'])
  await page.getByRole('radio', { name: '1 hour' }).check()
  await page.waitForURL(/span=1h/)

  const chart = page.getByRole('slider', { name: /^Messages received/ })
  const values: string[] = []
  await chart.press('Home')
  for (let step = 0; step < 60; step += 1) {
    values.push((await chart.getAttribute('aria-valuetext')) ?? '')
    await chart.press('ArrowRight')
  }
  expect(values.map((value) => Number(/Telegram (\d+)$/.exec(value)?.[1])).reduce((sum, n) => sum + n, 0)).toBe(2)

  await said('Once more', 3)
  await expect.poll(() => total('Messages received')).toBe('3')
  await page.getByText('Show as table').click()
  const [file] = await Promise.all([page.waitForEvent('download'), press('Download CSV')])
  const [head = '', ...rows] = (await readFile(await file.path(), 'utf8')).trim().split('\r\n')
  const received = head.split(',').indexOf('telegram_received')
  expect([rows.length, rows.reduce((sum, row) => sum + Number(row.split(',')[received]), 0)]).toEqual([60, 3])
})

it('fixes a channel with one click, and rechecks it', async () => {
  await world.gatepost.call('DELETE', '/api/channels/telegram')
  const phone = await world.open('doctor', { width: 360, theme: 'dark', language: 'zh' })
  const section = phone.getByRole('region', { name: 'Telegram' })
  await phone.getByText('发现 1 个问题').waitFor()
  await section
    .getByRole('listitem')
    .filter({ hasText: '渠道运行状态' })
    .getByRole('button', { name: '启用渠道' })
    .click()
  await section.getByText('正常', { exact: true }).waitFor()
  // no mail server is configured
  await phone.getByText('1 项需要注意').waitFor()
  await phone.getByRole('region', { name: '账号' }).getByText('EMAIL_HOST').waitFor()
  expect(await world.gatepost.call('GET', '/api/channels/telegram')).toMatchObject({ enabled: true, running: true })
})
