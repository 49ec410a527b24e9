import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTelegramControl, type TelegramControl } from '@gatepost/emulators'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type PageOptions, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults, walkFocus } from '@gatepost/emulators/page-checks'
import { firstJson, type SpawnedCli, spawnCli } from '../testing/spawn-cli.ts'

let folder: string
let demo: SpawnedCli
let address: string
let control: TelegramControl
let browser: TestBrowser
let people = 5000

beforeAll(async () => {
  browser = await launchBrowser()
  folder = await mkdtemp(join(tmpdir(), 'gatepost-demo-test-'))
  demo = spawnCli(['demo', '--platform', 'telegram', '--json'], { TMPDIR: folder, GATEPOST_ASSISTANT: 'echo' })
  const printed = JSON.parse(await firstJson(demo)) as { readonly page?: string } // our own output
  if (printed.page === undefined) throw new Error(`The demo did not start:\n${demo.err()}`)
  address = printed.page
  control = connectTelegramControl(new URL(address).origin)
})
afterEach(async () => {
  await control.clearFaults()
  await browser.closePages()
})
afterAll(async () => {
  await browser.close()
  demo.process.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

/** The chat page as a person whom nobody has met yet. */
async function open(options?: PageOptions): Promise<{ readonly page: Page; readonly user: number }> {
  const user = ++people
  const page = await browser.open(`${address}?user=${user}`, options)
  await page.getByText('No messages yet').waitFor()
  return { page, user }
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}
const mine = (page: Page, hasText: string): Locator => page.locator('.mine', { hasText })
const answers = (page: Page, hasText: string): Locator => page.locator('.of-bot:not(.draft)', { hasText })
const log = (page: Page, hasText: string): Locator => page.locator('#log li', { hasText })
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()

describe('a conversation', () => {
  it('shows the answer, with its formatting', async () => {
    const { page } = await open()
    await write(
      page,
      'Show **bold**, `code` and [a link](https://example.org/x)\n\n- one\n- two\n\n```ts\nconst a = 1\n```',
    )
    const answer = answers(page, 'You said')
    await answer.locator('strong', { hasText: 'bold' }).waitFor()
    await answer.locator('code', { hasText: 'code' }).waitFor()
    await answer.getByText('• two').waitFor()
    expect(await answer.locator('pre[data-language=ts]').textContent()).toContain('const a = 1')
    expect(await answer.getByRole('link', { name: 'a link' }).getAttribute('href')).toBe('https://example.org/x')
  })

  it('shows words that look like markup as words', async () => {
    const { page } = await open()
    await write(page, '<img src=x onerror=alert(1)> <b>no</b>')
    await answers(page, '<img src=x onerror=alert(1)> <b>no</b>').waitFor()
    expect(await page.locator('.messages img').count()).toBe(0)
  })

  it('answers and edits a message', async () => {
    const { page, user } = await open()
    await write(page, 'first')
    await press(page, /^Reply: You said/)
    await write(page, 'second')
    await mine(page, 'second').locator('.answered', { hasText: 'first' }).waitFor()
    await answers(page, 'second').waitFor()
    await page.keyboard.press('ArrowUp')
    await write(page, 'third')
    await mine(page, 'third').getByText('edited').waitFor()
    expect(await mine(page, 'second').count()).toBe(0)
    const { messages } = await control.conversation({ chatId: user })
    expect(messages.map(({ message }) => [message.text, message.reply_to_message?.text?.slice(0, 8)])).toContainEqual([
      'third',
      'You said',
    ])
  })

  it('keeps people apart, and in a group answers only who speaks to the bot', async () => {
    const { page } = await open()
    await write(page, 'from a stranger')
    await answers(page, 'from a stranger').waitFor()
    await press(page, 'Milo Okafor direct chat')
    await page.getByText('No messages yet').waitFor()
    await write(page, 'from Milo')
    await answers(page, 'from Milo').waitFor()
    await press(page, 'Harbour office group, as Milo')
    await write(page, 'good morning all')
    await log(page, 'Privacy mode').waitFor()
    await write(page, '@gatepost_bot which berth is free?')
    await answers(page, 'which berth is free?').locator('.answered', { hasText: 'Milo Okafor' }).waitFor()
    await press(page, 'Harbour office group, as Ann')
    await page.locator('.theirs .from', { hasText: 'Milo Okafor' }).first().waitFor()
    expect(await answers(page, 'good morning').count()).toBe(0)
  })

  it('takes a photo with its caption, and a file', async () => {
    const { page } = await open()
    await page
      .getByLabel('Attach an image or a file')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PNG })
    await write(page, 'a dot')
    const photo = mine(page, 'a dot').getByRole('img', { name: 'a dot' })
    await photo.waitFor()
    await expect.poll(() => photo.evaluate((image: { readonly naturalWidth: number }) => image.naturalWidth)).toBe(1)
    await answers(page, 'a dot').waitFor()
    await page
      .getByLabel('Attach an image or a file')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x'.repeat(2048)) })
    await press(page, /^Send$/)
    const download = page.waitForEvent('download')
    await mine(page, 'notes.txt').getByRole('link', { name: 'notes.txt 2.0 KB' }).click()
    expect((await download).suggestedFilename()).toBe('notes.txt')
    await answers(page, 'notes.txt').waitFor()
  })
})

describe('trouble', () => {
  it('a cut network: the answer comes once, when it is back', async () => {
    const { page } = await open()
    await page.locator('#polling', { hasText: 'yes' }).waitFor()
    await press(page, 'Cut the network')
    await page.locator('#polling', { hasText: 'no' }).waitFor()
    await log(page, 'getme failed').first().waitFor()
    await write(page, 'are you there?')
    await page.locator('#pending', { hasText: '1' }).waitFor()
    await press(page, 'Cut the network')
    await answers(page, 'are you there?').waitFor()
    await write(page, 'and now?')
    await answers(page, 'and now?').waitFor()
    expect(await answers(page, 'are you there?').count()).toBe(1)
  })

  it.each([
    [/wait 5 s/, 'sendmessage failed: rate limited'],
    [/Next send: reject formatting/, 'sendmessage failed: cannot parse'],
    [/Lose the confirmation/, 'sendmessage failed: drop after'],
  ])('%s: the answer comes once', async (fault, noted) => {
    const { page } = await open()
    await press(page, fault)
    await page.getByRole('button', { name: fault, pressed: true }).waitFor()
    await write(page, 'a hard one')
    await log(page, noted).waitFor()
    await answers(page, 'a hard one').waitFor()
    await write(page, 'an easy one')
    await answers(page, 'an easy one').waitFor()
    expect(await answers(page, 'a hard one').count()).toBe(1)
  })

  it('Lose the next send: nothing tells whether it was delivered, so it is not sent again', async () => {
    const { page } = await open()
    await press(page, /Lose the next send/)
    await page.getByRole('button', { name: /Lose the next send/, pressed: true }).waitFor()
    await write(page, 'a hard one')
    await log(page, 'sendmessage failed: drop before').waitFor()
    await write(page, 'an easy one')
    await answers(page, 'an easy one').waitFor()
    expect(await answers(page, 'a hard one').count()).toBe(0)
  })

  it('a person who blocks the bot, and comes back', async () => {
    const { page } = await open()
    await write(page, 'hello')
    await answers(page, 'hello').waitFor()
    await press(page, /^Block the bot/)
    await page.getByText('you blocked this bot').waitFor()
    await write(page, 'unheard')
    await log(page, 'Not delivered: the bot is blocked').waitFor()
    await press(page, /^Block the bot/)
    await write(page, 'back again')
    await answers(page, 'back again').waitFor()
    expect(await answers(page, 'unheard').count()).toBe(0)
  })
})

describe('for everybody', () => {
  it('works by keyboard alone', async () => {
    const { page } = await open()
    await page.keyboard.type('by keyboard')
    await page.keyboard.press('Enter')
    await answers(page, 'by keyboard').waitFor()
    const forward = await walkFocus(page, 'Tab')
    await page.getByLabel('Message', { exact: true }).focus()
    const met = [...forward, ...(await walkFocus(page, 'Shift+Tab'))]
    const names = met.map(({ name }) => name)
    for (const name of [
      'Send',
      'Cut the network',
      'Block the bot',
      'Attach an image or a file',
      'Milo Okafor',
      'Skip to',
    ]) {
      expect(names).toContainEqual(expect.stringContaining(name))
    }
    expect(names.filter((name) => /^(Reply|Edit): /.test(name))).toHaveLength(3)
    expect(met.filter(({ isVisible }) => !isVisible)).toEqual([])
    await page.getByRole('button', { name: /^Reply: You said/ }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('an answer')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('of two lines')
    await page.keyboard.press('Enter')
    await mine(page, 'an answer').locator('.answered', { hasText: 'by keyboard' }).waitFor()
  })

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('can be read in %s at %i px', async (theme, width) => {
    const { page } = await open({ theme, width, height: 844 })
    await write(page, `Long: ${'unbroken'.repeat(30)} **bold** \`code\`\n\n\`\`\`\n${'wide '.repeat(60)}\n\`\`\``)
    await answers(page, 'Long').waitFor()
    await press(page, /^Edit: Long/)
    expect(await pageFaults(page)).toEqual([])
  })
})

/** One red dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)
