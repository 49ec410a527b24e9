import { pageFaults, walkFocus } from '@gatepost/emulators/page-checks'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations, consolePages, type ConsolePage } from './console-pages.ts'
import { startDemoProcess } from './processes.ts'
import { type FullWorld, fullWorld } from './full-world.ts'
import { comparePicture, NORMALIZE_TEXTS, freezePage } from './pictures.ts'

const THEMES = ['light', 'dark'] as const
const SIZES = [
  [360, 740],
  [820, 1000],
  [1440, 900],
] as const
const NAMES = consolePages('').map(({ name }) => name)
/** Texts of the test data, which are the same in every language. */
const WORLD_DATA =
  /explain compilers|And linkers|Good morning|build is done|one is refused|harbour|made up|Gatepost command line|You are a helpful|Mozilla/

let world: FullWorld
let page: Page
const leaks: string[] = []
const inspections: Promise<void>[] = []
/** The number of inspected responses. */
let inspected = 0
/** English texts by page. */
const englishTexts = new Map<string, ReadonlySet<string>>()

beforeAll(async () => {
  const madeAtMs = Date.now()
  world = await fullWorld()
  page = await world.browser.open('about:blank', { origins: [world.gatepost.url] })
  await page.close()
  page = await world.open('nowhere')
  page.on('requestfinished', (request) => void inspections.push(inspect(request)))
  await freezePage(page, madeAtMs)
  await page.reload()
})
afterAll(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  const problems = await world.browser.closePages().catch((error: Error) => error.message)
  await world[Symbol.asyncDispose]()
  // the demo page reports a missing demo
  expect(
    String(problems ?? '')
      .split('\n')
      .filter((line) => /^\w+:/.test(line) && !line.includes('/api/demo')),
  ).toEqual([])
})

async function inspect(request: Request): Promise<void> {
  const response = await request.response()
  const body = await response?.body().catch(() => null) // the page was left
  if (!body) return
  inspected += 1
  noteLeaks(request.url(), body.toString())
}

function noteLeaks(where: string, text: string): void {
  if (world.secrets.some((secret) => text.includes(secret))) leaks.push(where)
}

async function go(name: string, language: 0 | 1 = 0): Promise<ConsolePage> {
  const found = consolePages(world.conversation).find((one) => one.name === name)
  if (found === undefined) throw new Error(`Unknown page ${name}.`)
  const main = page.getByRole('main')
  // the previous page stays until the next one is loaded
  await main.evaluate((element) => element.firstElementChild?.setAttribute('data-left', ''))
  await page.evaluate(`history.pushState({}, '', '/console/${found.path}')`)
  await expect.poll(() => main.locator('> [data-left]').count()).toBe(0)
  await main.getByText(found.shows[language]).filter({ visible: true }).first().waitFor()
  await expect.poll(() => main.locator('[class*=skeleton], [aria-busy=true]').count()).toBe(0)
  return found
}

const tooWide = (target: Page): Promise<boolean> =>
  target.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')

/** Returns the faults of a page at all widths and themes. @param name Name of its pictures. */
async function findFaults(target: Page, name: string): Promise<readonly string[]> {
  const faults: (string | null)[] = []
  for (const theme of THEMES) {
    await target.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const [width, height] of SIZES) {
      await target.setViewportSize({ width, height })
      await target.evaluate(NORMALIZE_TEXTS)
      const mask = [target.locator('main img[src^="data:image/svg"]')]
      const taken = await target.screenshot({ animations: 'disabled', caret: 'hide', mask, maskColor: '#888' })
      faults.push(comparePicture(`${name}-${width}-${theme}`, taken))
      const isInspected = theme === 'light' ? width === 1440 : width === 360
      if (isInspected) faults.push(...(await findViolations(target)), ...(await pageFaults(target)))
      if (await tooWide(target)) faults.push(`${width}: too wide`)
    }
  }
  await target.evaluate(`document.documentElement.dir = 'rtl'`)
  for (const [width, height] of SIZES) {
    await target.setViewportSize({ width, height })
    if (await tooWide(target)) faults.push(`${width}: too wide from right to left`)
  }
  await target.evaluate(`document.documentElement.dir = ''`)
  return faults.filter((fault) => fault !== null)
}

it.each(NAMES)('%s matches its pictures at every width and in both themes, and is accessible', async (name) => {
  await go(name)
  expect(await findFaults(page, name)).toEqual([])
  noteLeaks(name, await page.content())
  englishTexts.set(name, new Set(await textsOfPage()))
})

it('shows the demo board as in its pictures, and is accessible', async () => {
  await using demo = await startDemoProcess()
  const board = await world.browser.open(demo.link)
  const madeAtMs = Date.now()
  try {
    await freezePage(board, madeAtMs)
    await board.goto(new URL('/console/demo', demo.link).href)
    await expect.poll(() => board.getByRole('article').count()).toBe(6)
    await expect.poll(() => board.getByText('connected', { exact: true }).count()).toBe(3)
    expect(await findFaults(board, 'demo')).toEqual([])
  } finally {
    await board.unrouteAll({ behavior: 'ignoreErrors' })
    await board.close()
  }
})

/** Returns texts of more than two words, including attributes. */
const textsOfPage = (): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const found = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const { parentElement: element } = text
      const isQuoted = element.closest('[lang]') !== document.documentElement
      if (!isQuoted && element.closest('code, pre, time, script, style, noscript') === null) found.push(text.data)
    }
    for (const element of document.querySelectorAll('*')) {
      for (const name of ['aria-label', 'aria-description', 'placeholder', 'title', 'alt']) found.push(element.getAttribute(name) ?? '')
    }
    return found.map((text) => text.trim()).filter((text) => /[A-Za-z]+\\s+\\S+\\s+\\S/.test(text))
  })()`)

it('can be used by keyboard alone, with visible focus', async () => {
  await page.setViewportSize({ width: 1440, height: 900 })
  for (const name of ['channels', 'conversation', 'send', 'people']) {
    await go(name)
    await page.evaluate(`document.activeElement.blur()`)
    const met = await walkFocus(page, 'Tab')
    expect([name, met.length > 3, met.filter(({ isVisible }) => !isVisible)]).toEqual([name, true, []])
  }
})

it('is entirely in Chinese when selected', async () => {
  await page.getByRole('button', { name: /^Account menu for/ }).click()
  await page.getByText('简体中文').click()
  await page.getByRole('navigation', { name: '主导航', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  const left: string[] = []
  for (const name of NAMES) {
    await go(name, 1)
    const english = englishTexts.get(name)
    const texts = await textsOfPage()
    left.push(
      ...texts
        .filter((text) => english?.has(text) === true && !WORLD_DATA.test(text))
        .map((text) => `${name}: ${text}`),
    )
    await page.setViewportSize({ width: 360, height: 740 })
    if (await tooWide(page)) left.push(`${name}: too wide`)
    noteLeaks(name, await page.content())
  }
  expect(left).toEqual([])
})

it('never contains a secret, in responses or pages', async () => {
  await Promise.all(inspections)
  expect(inspected).toBeGreaterThan(50)
  expect(leaks).toEqual([])
})
