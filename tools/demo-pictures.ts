import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import type { Locator, Page } from 'playwright-core'

/**
 * Takes the pictures of the manual: `node tools/demo-pictures.ts` runs `gatepost demo`, talks to it in a browser, and
 * writes docs/images/platforms.png (a chat on each platform, on the pages of the emulators) and demo.png (the board of
 * the console), both also as -dark.png. On the former the answers come from this file, run as the assistant's program;
 * on the board they are those of the demo.
 */

const ROOT = join(import.meta.dirname, '..')
const IMAGES = join(ROOT, 'docs', 'images')
/** Largest picture, bytes. */
const LIMIT = 400_000

/** Device pixels per CSS pixel of the chats, so that none is resampled. */
const SCALE = 1.1

const THEMES = [
  ['light', ''],
  ['dark', '-dark'],
] as const
type Theme = (typeof THEMES)[number][0]

/** What the assistant answers, by what the message holds. */
const REPLIES: readonly (readonly [asked: string, answer: string])[] = [
  [
    'before the Marlin sails',
    [
      'Three things before **14:30**:',
      '',
      '1. Fuel: *420 of 600* litres are in',
      '2. Papers: [the crew list](https://example.org/crew) lacks one name',
      '3. Weather: the wind turns **north-west** at noon',
    ].join('\n'),
  ],
  ['not on it', '`Ines Duarte`, mate: she signs on at noon.'],
  ['the fuel', 'It will be done in time:\n\n```\n11:02   420 l\n11:21   510 l\n11:40   600 l\n```'],
  [
    'the grain',
    '- **Weight**, signed by the office\n- *Health* certificate\n- [Bill of lading](https://example.org/bill)',
  ],
  ['crane', 'Crane 2 is free until 13:30. Shall I book it for the Marlin?'],
  ['please', 'Booked: **crane 2**, from 12:00 to 13:00.'],
  ['the Tern', 'Berth **7**, free from `16:10`. The pilot comes aboard at the mole.'],
  ['backup', 'I will write to you here.'],
]

/** One turn of the assistant: a JSON object on standard input, lines of JSON out. */
async function replyToTurn(): Promise<void> {
  const turn = JSON.parse(await text(process.stdin)) as { messages: readonly { text: string }[] } // the gateway's own
  const asked = turn.messages.at(-1)?.text ?? ''
  const [, said = 'I do not know.'] = REPLIES.find(([words]) => asked.includes(words)) ?? []
  process.stdout.write(`${JSON.stringify({ text: said })}\n${JSON.stringify({ done: true })}\n`)
}

/** What `gatepost demo --json` prints. */
interface Demo {
  /** Signs in, and shows the board. */
  readonly enter: string
  readonly url: string
  readonly data_dir: string
  readonly platforms: readonly { readonly platform: string; readonly page: string }[]
}

async function sendMessage(page: Page, words: string, reply: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(words)
  await page.keyboard.press('Enter')
  await page.locator('.of-bot:not(.draft)', { hasText: reply }).waitFor()
}

/** A message that nobody has asked for at that moment, to the one person known there. */
async function sendNotification({ url, data_dir }: Demo, platform: string, message: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${(await readFile(join(data_dir, 'api-token'), 'utf8')).trim()}`,
    'content-type': 'application/json',
  }
  const { users } = (await (await fetch(`${url}/api/channels/${platform}/users`, { headers })).json()) as {
    users: readonly { user_id: string }[] // the service's own answer
  }
  for (const { user_id } of users) {
    const body = JSON.stringify({ user_id, message })
    const sent = await fetch(`${url}/api/channels/${platform}/send`, { method: 'POST', headers, body })
    if (!sent.ok) throw new Error(`${platform} does not send: ${await sent.text()}`)
  }
}

/** The chat of each platform, in the order in which they are shown. */
const CHATS: Readonly<Record<string, (page: Page, demo: Demo) => Promise<void>>> = {
  feishu: (page) => sendMessage(page, 'Morning! What is left to do before the Marlin sails?', 'Three things'),
  wecom: (page) => sendMessage(page, 'Which papers go with the grain?', 'Weight'),
  weixin: async (page) => {
    await sendMessage(page, 'Is a crane free at noon?', 'Shall I')
    await sendMessage(page, 'Yes, please.', 'Booked')
  },
  discord: async (page) => {
    await page.getByRole('button', { name: 'Harbour office group, as Milo' }).click()
    await sendMessage(page, 'where does the Tern lie tonight?', 'Berth')
  },
  telegram: (page) => sendMessage(page, 'And the fuel?', 'in time'),
  dingtalk: async (page, demo) => {
    await sendMessage(page, 'Tell me when the backup is done.', 'I will')
    await sendNotification(demo, 'dingtalk', '**Backup done.** 42 files, 1.3 GB, nothing skipped.')
    await page.locator('.of-bot', { hasText: 'Backup done' }).waitFor()
  },
}

/** A chat as its page shows it on a telephone. */
interface ChatPicture {
  readonly label: string
  /** The colour of the platform, as CSS has it. */
  readonly accent: string
  readonly png: Buffer
}

/** Those of the messages, which a mouse shows one by one. */
const HIDE_BUTTONS = "document.querySelectorAll('.acts').forEach(({ style }) => (style.display = 'none'))"
const ACCENT = "getComputedStyle(document.documentElement).getPropertyValue('--accent')"

async function takeChatPictures(
  browser: TestBrowser,
  demo: Demo,
): Promise<Readonly<Record<Theme, readonly ChatPicture[]>>> {
  const pictures: Record<Theme, ChatPicture[]> = { light: [], dark: [] }
  for (const { platform, page: address } of demo.platforms) {
    const page = await browser.open(address, { width: 428, height: 582, scale: SCALE })
    await CHATS[platform]?.(page, demo)
    const label = (await page.locator('h1').textContent()) ?? ''
    for (const [theme] of THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      const accent = await page.evaluate<string>(ACCENT)
      await page.evaluate(HIDE_BUTTONS)
      pictures[theme].push({ label, accent, png: await page.locator('.phone').screenshot() })
    }
  }
  return pictures
}

const STYLE = `
  body { margin: 0; padding: 28px; display: grid; grid-template-columns: repeat(3, 400px); gap: 26px 24px;
    font: 600 17px system-ui, "Noto Sans", sans-serif }
  body[data-theme=light] { background: #eceae6; color: #20242b }
  body[data-theme=dark] { background: #121315; color: #eceef1 }
  figure { margin: 0 }
  figcaption { display: flex; gap: 9px; align-items: center; margin: 0 4px 9px }
  i { width: 13px; height: 13px; border-radius: 4px 4px 4px 1px }
  img { display: block; width: 400px; border-radius: 20px }`

/** All chats side by side. */
async function drawTogether(browser: TestBrowser, theme: Theme, chats: readonly ChatPicture[]): Promise<Buffer> {
  const page = await browser.open('about:blank', { theme, width: 1304, height: 600, scale: SCALE })
  const figures = chats.map(
    ({ label, accent, png }) =>
      `<figure><figcaption><i style="background:${accent}"></i>${label}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  )
  await page.setContent(`<style>${STYLE}</style><body data-theme="${theme}">${figures.join('')}</body>`)
  return page.screenshot({ fullPage: true })
}

/** Device pixels per CSS pixel of the board. */
const BOARD_SCALE = 1.2

/** The board in the middle of everything: an answer that grows, a code to be scanned, a network that is cut. */
async function takeBoardPictures(browser: TestBrowser, { enter }: Demo): Promise<Readonly<Record<Theme, Buffer>>> {
  const page = await browser.open(enter, { width: 1440, height: 1236, scale: BOARD_SCALE })
  const phone = (name: string): Locator => page.getByRole('article', { name })
  const press = (name: string, button: string | RegExp): Promise<void> =>
    phone(name).getByRole('button', { name: button }).click()
  const ask = async (name: string, words: string, reply: string | RegExp): Promise<void> => {
    await phone(name)
      .getByLabel(/^Message to/)
      .fill(words)
    await page.keyboard.press('Enter')
    await phone(name).getByRole('listitem').filter({ hasText: reply }).first().waitFor()
  }
  for (const name of ['Feishu', 'DingTalk']) {
    await press(name, 'Connect')
    await press(name, 'Scan this code')
    await press(name, 'Allow')
  }
  await press('Weixin', 'Connect')
  await ask('DingTalk', 'How are the berths? A table, please.', '16:10')
  await ask('WeCom', '你好', '看看可以做什么')
  await press('Discord', 'Harbour office')
  await ask('Discord', 'what is the plan for today?', 'north-west')
  await ask('Telegram', 'hello', 'ask for a table')
  await press('Telegram', 'Trouble: Telegram')
  await press('Telegram', /^Cut the network/)
  await phone('Telegram').getByText('not connected', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await ask('Telegram', 'are you still there?', 'still there')
  await page
    .getByRole('listitem')
    .filter({ hasText: /reconnecting in [4-9]/ })
    .waitFor()
  await page.mouse.move(0, 0)
  await ask('Feishu', 'Tell me how this works, as a stream', 'word by word')
  await page.evaluate('document.activeElement.blur()')
  const pictures: Partial<Record<Theme, Buffer>> = {}
  for (const [theme] of THEMES) {
    await page.emulateMedia({ colorScheme: theme })
    await page.evaluate(REPAINT)
    pictures[theme] = await page.screenshot()
  }
  const { light, dark } = pictures
  if (!light || !dark) throw new Error('a theme is missing')
  return { light, dark }
}

/** Drawn anew: what takes its colour from its surroundings would keep that of the other theme. */
const REPAINT = `document.body.style.display = 'none'; document.body.offsetHeight; document.body.style.display = ''`

/** Runs a demo as long as the work takes. */
async function withDemo<R>(
  browser: TestBrowser,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  work: (demo: Demo) => Promise<R>,
): Promise<R> {
  const program = join(ROOT, 'packages/gateway/src/cli/main.ts')
  const demo = spawn(process.execPath, [program, 'demo', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const closed = once(demo, 'close')
  try {
    const made = await work(await readPrintedDemo(demo))
    await browser.closePages() // before what they show ends
    return made
  } finally {
    demo.kill('SIGINT')
    await closed
  }
}

async function takePictures(browser: TestBrowser): Promise<void> {
  await mkdir(IMAGES, { recursive: true })
  const ownAnswers = {
    GATEPOST_ASSISTANT: 'command',
    GATEPOST_ASSISTANT_COMMAND: `'${process.execPath}' '${import.meta.filename}' --answer`,
  }
  const chats = await withDemo(browser, ['--connected'], ownAnswers, (demo) => takeChatPictures(browser, demo))
  const board = await withDemo(browser, [], {}, (demo) => takeBoardPictures(browser, demo))
  for (const [theme, suffix] of THEMES) {
    await savePicture(`platforms${suffix}.png`, await drawTogether(browser, theme, chats[theme]))
    await savePicture(`demo${suffix}.png`, board[theme])
  }
}

async function savePicture(name: string, png: Buffer): Promise<void> {
  await writeFile(join(IMAGES, name), png)
  process.stdout.write(`docs/images/${name}: ${png.length} bytes\n`)
  if (png.length > LIMIT) throw new Error(`${name} has more than ${LIMIT} bytes`)
}

/** What it prints once it runs. */
async function readPrintedDemo(demo: ChildProcess): Promise<Demo> {
  let printed = ''
  for await (const chunk of demo.stdout ?? []) {
    printed += String(chunk)
    if (printed.includes('"platforms"') && printed.trimEnd().endsWith('\n}')) return JSON.parse(printed) as Demo // our own output
  }
  throw new Error(`The demo did not start: ${printed}`)
}

async function main(): Promise<void> {
  const browser = await launchBrowser()
  try {
    await takePictures(browser)
    await browser.closePages()
  } finally {
    await browser.close()
  }
}

await (process.argv.includes('--answer') ? replyToTurn() : main())
