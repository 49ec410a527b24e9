import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { type DemoProcess, startDemoProcess } from '../../testing/processes.ts'

const PLATFORMS = ['Feishu', 'WeCom', 'Weixin', 'Discord', 'Telegram', 'DingTalk'] as const
type Name = (typeof PLATFORMS)[number]

let demo: DemoProcess
let browser: TestBrowser
beforeAll(async () => {
  demo = await startDemoProcess()
  browser = await launchBrowser()
})
afterEach(() => browser.closePages())
afterAll(async () => {
  await browser.close()
  await demo[Symbol.asyncDispose]()
})

const phone = (page: Page, name: Name): Locator => page.getByRole('article', { name })
const lines = (page: Page, name: Name, hasText: string | RegExp): Locator =>
  phone(page, name).getByRole('listitem').filter({ hasText })
const seeStatus = (page: Page, name: string, words: string): Promise<void> =>
  page
    .getByRole('region', { name: 'Gatepost status' })
    .getByRole('listitem')
    .filter({ hasText: name })
    .getByText(words)
    .waitFor()
const done = (page: Page, step: string): Promise<void> =>
  page.getByRole('heading', { name: `${step} (done)` }).waitFor()

async function write(page: Page, name: Name, text: string): Promise<void> {
  await phone(page, name)
    .getByLabel(/^Message /)
    .fill(text)
  await page.keyboard.press('Enter')
  await lines(page, name, text).first().waitFor()
}

it('guides a visitor to six conversations, into a fault and out of it', async () => {
  const page = await browser.open(demo.link, { width: 1500, height: 1000 })
  await page.getByRole('heading', { level: 1, name: 'Six chats, one assistant' }).waitFor()
  expect(page.url()).toMatch(/\/console\/demo$/)

  // connect by scanning
  for (const name of ['Feishu', 'Weixin', 'DingTalk'] as const) {
    await phone(page, name).getByRole('button', { name: 'Connect' }).click()
    await phone(page, name).getByRole('button', { name: 'Scan this QR code' }).click()
    await phone(page, name).getByRole('button', { name: 'Allow' }).click()
    await phone(page, name)
      .getByLabel(/^Message /)
      .waitFor()
  }
  await done(page, 'Connect')

  // start six conversations with one click
  for (const name of PLATFORMS) await phone(page, name).getByText('connected', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Say hello on all six' }).click()
  for (const name of PLATFORMS) {
    await lines(page, name, "I'm the assistant behind this bot").waitFor()
    await phone(page, name)
      .getByRole('img', { name: /^(?:Delivered|Confirmed)$/ })
      .first()
      .waitFor()
  }
  await done(page, 'Send a message')
  expect(await pageFaults(page)).toEqual([])

  // a reply streams with its formatting
  await write(page, 'Feishu', 'stream')
  await lines(page, 'Feishu', 'The platform delivers').waitFor()
  await done(page, 'Watch it stream')
  await lines(page, 'Feishu', 'no reply is shown twice').waitFor()
  expect(await lines(page, 'Feishu', 'no reply is shown twice').locator('strong').textContent()).toBe(
    'How a reply reaches you',
  )

  // a fault, injected and cleared
  await phone(page, 'Telegram').getByRole('button', { name: 'Faults: Telegram' }).click()
  await phone(page, 'Telegram')
    .getByRole('button', { name: /^Cut the network/ })
    .click()
  await phone(page, 'Telegram')
    .getByRole('button', { name: /^Cut the network/, pressed: true })
    .waitFor()
  await page.keyboard.press('Escape')
  await phone(page, 'Telegram').locator('[aria-expanded=false]:focus').waitFor()
  await seeStatus(page, 'Telegram', 'reconnecting')
  await write(page, 'Telegram', 'are you still there?')
  await phone(page, 'Telegram').getByRole('img', { name: 'Not received yet' }).waitFor()
  await done(page, 'Pull the cable')
  await phone(page, 'Telegram').getByRole('button', { name: 'Restore' }).click()
  await lines(page, 'Telegram', 'are not lost').waitFor()
  await seeStatus(page, 'Telegram', 'running')
  await done(page, 'Plug it back in')
  expect(await lines(page, 'Telegram', 'are not lost').count()).toBe(1)
  await page.getByRole('main').getByRole('link', { name: 'Conversations' }).waitFor()
})

/** Injects a fault on a platform. */
async function injectFault(page: Page, name: Name, fault: RegExp): Promise<void> {
  await phone(page, name)
    .getByRole('button', { name: `Faults: ${name}` })
    .click()
  await phone(page, name).getByRole('button', { name: fault }).click()
  await page.keyboard.press('Escape')
}

it('reports lost messages, and recovers from faults that need action', async () => {
  const page = await browser.open(demo.link)
  await injectFault(page, 'WeCom', /^Cut the network/)
  await seeStatus(page, 'WeCom', 'reconnecting')
  await write(page, 'WeCom', 'into the void')
  await phone(page, 'WeCom').getByRole('button', { name: 'Restore' }).click()
  await phone(page, 'WeCom').getByText("WeCom didn't keep this").waitFor()
  await phone(page, 'WeCom').getByRole('img', { name: 'Lost' }).waitFor()
  await write(page, 'WeCom', 'once more')
  await lines(page, 'WeCom', 'You said: once more').waitFor()
  expect(await lines(page, 'WeCom', 'You said: into the void').count()).toBe(0)
  await injectFault(page, 'WeCom', /^Connection takeover/)
  await phone(page, 'WeCom').getByText('Another program is connected').waitFor()
  await phone(page, 'WeCom').getByRole('button', { name: 'Restart' }).click()
  await seeStatus(page, 'WeCom', 'running')

  await injectFault(page, 'Weixin', /^Expire the login/)
  await phone(page, 'Weixin').getByRole('button', { name: 'Connect' }).click()
  await phone(page, 'Weixin').getByRole('button', { name: 'Scan this QR code' }).click()
  await phone(page, 'Weixin').getByRole('button', { name: 'Allow' }).click()
  await write(page, 'Weixin', 'a new log-in')
  await lines(page, 'Weixin', 'You said: a new log-in').waitFor()
})

it('chats in a group and as another person, and notes who is not allowed', async () => {
  const page = await browser.open(demo.link)
  await phone(page, 'Discord').getByRole('button', { name: 'Harbour office' }).click()
  await phone(page, 'Discord').getByRole('button', { name: /^@/, pressed: true }).click()
  await write(page, 'Discord', 'good morning all')
  await phone(page, 'Discord').getByRole('button', { name: /^@/, pressed: false }).click()
  await write(page, 'Discord', 'a table, please')
  await lines(page, 'Discord', 'Marlin').waitFor()
  expect(await lines(page, 'Discord', "I'm the assistant").count()).toBe(0)
  await phone(page, 'Feishu').getByRole('button', { name: 'Milo' }).click()
  await phone(page, 'Feishu').getByText("Milo isn't on this bot's allowed list.").waitFor()
})

it('shows one chat at a time on a phone, in Chinese and dark mode', async () => {
  const page = await browser.open(demo.link, { width: 390, height: 844, theme: 'dark' })
  await page.evaluate(() => localStorage.setItem('gatepost-language', 'zh'))
  await page.reload()
  await page.getByRole('heading', { level: 1, name: '六个平台，一个助手' }).waitFor()
  await page.getByRole('article', { name: '飞书聊天' }).waitFor()
  expect(await page.getByRole('article').count()).toBe(1)
  await page.getByRole('navigation', { name: '平台' }).getByRole('button', { name: '钉钉' }).click()
  await page.getByRole('article', { name: '钉钉聊天' }).getByLabel(/发给/).fill('表格')
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: '钉钉聊天' }).getByText('海鸥号').waitFor()
  expect(await pageFaults(page)).toEqual([])
})
