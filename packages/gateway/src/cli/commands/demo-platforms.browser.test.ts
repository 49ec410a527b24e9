import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchBrowser, type PageOptions, type TestBrowser } from '@gatepost/emulators/browser'
import { pageFaults } from '@gatepost/emulators/page-checks'
import { firstJson, runSpawned, type SpawnedCli, spawnCli } from '../testing/spawn-cli.ts'

/** What `gatepost demo --json` prints. */
interface Printed {
  readonly page: string
  readonly url: string
  readonly data_dir: string
  readonly platforms: readonly { readonly platform: string; readonly page: string; readonly running: boolean }[]
}

const PLATFORMS = ['feishu', 'wecom', 'weixin', 'discord', 'telegram', 'dingtalk'] as const
const TABS = ['Feishu', 'WeCom', 'Weixin', 'Discord', 'Telegram', 'DingTalk'] as const

let folder: string
let demo: SpawnedCli
let printed: Printed
let browser: TestBrowser
let people = 7000

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-demo-test-'))
  demo = spawnCli(['demo', '--json', '--connected'], { TMPDIR: folder, GATEPOST_ASSISTANT: 'echo' })
  browser = await launchBrowser()
  const said = await firstJson(demo)
  if (!said.includes('"platforms"')) throw new Error(`The demo did not start:\n${said}${demo.err()}`)
  printed = JSON.parse(said) as Printed // our own output
})
afterEach(() => browser.closePages())
afterAll(async () => {
  await browser.close()
  demo.process.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

const openPage = (platform: string): string => printed.platforms.find((one) => one.platform === platform)?.page ?? ''
/** The page of a platform as a person whom nobody has met yet. */
const open = (platform: string, options?: PageOptions): Promise<Page> =>
  browser.open(`${openPage(platform)}?user=${++people}`, options)
/** The command line as the words on the terminal tell to use it. */
const cli = (...args: readonly string[]): ReturnType<typeof runSpawned> =>
  runSpawned(args, { GATEPOST_PORT: new URL(printed.url).port, GATEPOST_DATA_DIR: printed.data_dir })

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}
const answers = (page: Page, hasText: string): Locator => page.locator('.of-bot:not(.draft)', { hasText })
const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name }).click()
const connected = (page: Page, hasText: 'yes' | 'no'): Promise<void> =>
  page.locator('.facts [data-on]', { hasText }).waitFor()

it('leads from page to page by its tabs, and is answered on each', async () => {
  expect(printed.platforms.map(({ platform, running }) => [platform, running])).toEqual(
    PLATFORMS.map((platform) => [platform, true]),
  )
  const origins = printed.platforms.map(({ page }) => new URL(page).origin)
  const page = await browser.open(printed.page, { origins })
  for (const tab of TABS) {
    await page.getByRole('navigation', { name: 'Platforms' }).getByRole('link', { name: tab }).click()
    await page.getByRole('heading', { level: 1, name: tab }).waitFor()
    await page.getByText('No messages yet').waitFor()
    await write(page, `hello ${tab}`)
    await answers(page, `hello ${tab}`).waitFor()
  }
  const status = await cli('status', '--json')
  expect(status.out.match(/"running": true/g)).toHaveLength(PLATFORMS.length)
})

describe.each(PLATFORMS)('%s', (platform) => {
  it('goes on when its network was cut, and answers what was said meanwhile', async () => {
    const page = await open(platform)
    await connected(page, 'yes')
    await write(page, 'hello')
    await answers(page, 'hello').waitFor()
    await press(page, 'Cut the network')
    await connected(page, 'no')
    await write(page, 'are you there?')
    await page.locator('.mine', { hasText: 'are you there?' }).waitFor()
    await press(page, 'Cut the network')
    await connected(page, 'yes')
    await write(page, 'there again?')
    await answers(page, 'there again?').waitFor()
    // WeCom says nothing twice: what nobody heard is gone
    if (platform !== 'wecom') await answers(page, 'are you there?').waitFor()
    expect(await answers(page, 'are you there?').count()).toBe(platform === 'wecom' ? 0 : 1)
  })
})

describe.each(['feishu', 'wecom', 'discord', 'dingtalk'])('a group of %s', (platform) => {
  it('is answered where it speaks to the bot', async () => {
    const page = await browser.open(openPage(platform))
    await press(page, 'Harbour office group, as Milo')
    await page.getByRole('button', { name: /^@/, pressed: true }).click()
    await write(page, 'good morning all')
    await page.locator('.mine', { hasText: 'good morning all' }).waitFor()
    await page.getByRole('button', { name: /^@/, pressed: false }).click()
    await write(page, 'which berth is free?')
    await answers(page, 'which berth is free?').waitFor()
    await press(page, 'Harbour office group, as Ann')
    await page.locator('.theirs .from', { hasText: 'Milo' }).first().waitFor()
    expect(await answers(page, 'good morning').count()).toBe(0)
  })
})

describe('a set-up from the command line', () => {
  it('of Weixin is scanned by a button of the page', async () => {
    const page = await browser.open(openPage('weixin'))
    const { qrcode_id: id } = JSON.parse((await cli('setup', 'weixin', '--fetch-qr')).out) as { qrcode_id: string } // our own output
    const waiting = cli('setup', 'weixin', '--qrcode-id', id)
    await page.getByText('A setup code is waiting for Ann to scan it.').waitFor()
    expect(await pageFaults(page)).toEqual([])
    await press(page, /^Confirm$/)
    expect(await waiting).toMatchObject({ code: 0 })
    await page.locator('#setup').waitFor({ state: 'hidden' })
    await connected(page, 'yes')
    await write(page, 'it was me')
    await answers(page, 'it was me').waitFor()
  })
})
