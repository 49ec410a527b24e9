import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { launchBrowser, type TestBrowser } from '@gatepost/emulators/browser'
import type { Locator, Page } from 'playwright-core'

/**
 * Takes the manual's pictures: `node tools/demo-pictures.ts` runs `gatepost demo`, talks to it in a browser, and
 * writes docs/images/platforms.png (a chat on each platform, on the emulators' pages) and demo.png (the console's demo
 * page), each also as -dark.png. In platforms.png the replies come from this file, run as the assistant's program; in
 * demo.png they are the demo's own. Needs a Chinese font: `fc-list :lang=zh` must list one.
 */

const ROOT = join(import.meta.dirname, '..')
const IMAGES = join(ROOT, 'docs', 'images')
/** Size limit of a picture, in bytes. */
const LIMIT = 400_000

/** Device pixels per CSS pixel of the chats, so that no picture is resampled. */
const SCALE = 1.1

const THEMES = [
  ['light', ''],
  ['dark', '-dark'],
] as const
type Theme = (typeof THEMES)[number][0]

/** The assistant's replies, by a phrase in the message. */
const REPLIES: readonly (readonly [phrase: string, reply: string])[] = [
  [
    'before the Marlin sails',
    [
      'Three things before **14:30**:',
      '',
      '1. Fuel: *420 of 600* liters loaded',
      '2. Papers: one name missing from [the crew list](https://example.org/crew)',
      '3. Weather: wind turning **northwest** at noon',
    ].join('\n'),
  ],
  ['not on it', '`Ines Duarte`, first mate. She signs on at noon.'],
  ['the fuel', 'Loading is on schedule:\n\n```\n11:02   420 l\n11:21   510 l\n11:40   600 l\n```'],
  [
    'the grain',
    '- **Weight**, signed by the office\n- *Health* certificate\n- [Bill of lading](https://example.org/bill)',
  ],
  ['crane', 'Crane 2 is free until 13:30. Shall I book it for the Marlin?'],
  ['please', 'Booked: **crane 2**, from 12:00 to 13:00.'],
  ['the Tern', 'Berth **7**, free from `16:10`. The pilot boards at the breakwater.'],
  ['backup', "I'll message you here."],
]

/** Replies to one turn: reads a JSON object from standard input and writes lines of JSON. */
async function replyToTurn(): Promise<void> {
  const turn = JSON.parse(await text(process.stdin)) as { messages: readonly { text: string }[] } // written by the gateway
  const message = turn.messages.at(-1)?.text ?? ''
  const [, reply = "I don't know."] = REPLIES.find(([phrase]) => message.includes(phrase)) ?? []
  process.stdout.write(`${JSON.stringify({ text: reply })}\n${JSON.stringify({ done: true })}\n`)
}

/** Output of `gatepost demo --json`. */
interface Demo {
  /** Link that signs in and opens the demo page. */
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

/** Sends a notification to everyone on a platform. */
async function sendNotification({ url, data_dir }: Demo, platform: string, message: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${(await readFile(join(data_dir, 'api-token'), 'utf8')).trim()}`,
    'content-type': 'application/json',
  }
  const { users } = (await (await fetch(`${url}/api/channels/${platform}/users`, { headers })).json()) as {
    users: readonly { user_id: string }[] // returned by the service
  }
  for (const { user_id } of users) {
    const body = JSON.stringify({ user_id, message })
    const sent = await fetch(`${url}/api/channels/${platform}/send`, { method: 'POST', headers, body })
    if (!sent.ok) throw new Error(`Couldn't send on ${platform}: ${await sent.text()}`)
  }
}

/** The chat on each platform. */
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
  telegram: (page) => sendMessage(page, 'And the fuel?', 'on schedule'),
  dingtalk: async (page, demo) => {
    await sendMessage(page, 'Tell me when the backup is done.', 'message you here')
    await sendNotification(demo, 'dingtalk', '**Backup done.** 42 files, 1.3 GB, nothing skipped.')
    await page.locator('.of-bot', { hasText: 'Backup done' }).waitFor()
  },
}

/** Picture of a chat at the size of a phone. */
interface ChatPicture {
  readonly label: string
  /** The platform's CSS color. */
  readonly accent: string
  readonly png: Buffer
}

/** Hides the messages' buttons, which appear on hover. */
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

/** Returns a picture of all chats side by side. */
async function drawTogether(browser: TestBrowser, theme: Theme, chats: readonly ChatPicture[]): Promise<Buffer> {
  const page = await browser.open('about:blank', { theme, width: 1304, height: 600, scale: SCALE })
  const captioned = chats.map(
    ({ label, accent, png }) =>
      `<figure><figcaption><i style="background:${accent}"></i>${label}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
  )
  await page.setContent(`<style>${STYLE}</style><body data-theme="${theme}">${captioned.join('')}</body>`)
  return page.screenshot({ fullPage: true })
}

/** Device pixels per CSS pixel of the demo page. */
const BOARD_SCALE = 1.2

/** Takes the demo page while a reply streams, a QR code waits to be scanned, and a network is down. */
async function takeBoardPictures(browser: TestBrowser, { enter }: Demo): Promise<Readonly<Record<Theme, Buffer>>> {
  const page = await browser.open(enter, { width: 1440, height: 1236, scale: BOARD_SCALE })
  const phone = (name: string): Locator => page.getByRole('article', { name })
  const press = (name: string, button: string | RegExp): Promise<void> =>
    phone(name).getByRole('button', { name: button }).click()
  const ask = async (name: string, words: string, reply: string | RegExp): Promise<void> => {
    await phone(name)
      .getByLabel(/^Message /)
      .fill(words)
    await page.keyboard.press('Enter')
    await phone(name).getByRole('listitem').filter({ hasText: reply }).first().waitFor()
  }
  for (const name of ['Feishu', 'DingTalk']) {
    await press(name, 'Connect')
    await press(name, 'Scan this QR code')
    await press(name, 'Allow')
  }
  await press('Weixin', 'Connect')
  await ask('DingTalk', 'How are the berths? A table, please.', '16:10')
  await ask('WeCom', '你好', '看看我能做什么')
  await press('Discord', 'Harbour office')
  await ask('Discord', 'what is the plan for today?', 'northwest')
  await ask('Telegram', 'hello', 'to see one')
  await press('Telegram', 'Faults: Telegram')
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
  if (!light || !dark) throw new Error('A theme is missing.')
  return { light, dark }
}

/** Repaints the page, because inherited colors can keep the previous theme's value. */
const REPAINT = `document.body.style.display = 'none'; document.body.offsetHeight; document.body.style.display = ''`

/** Runs a demo until the work is done. */
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
    await browser.closePages() // before the demo stops
    return made
  } finally {
    demo.kill('SIGINT')
    await closed
  }
}

async function takePictures(browser: TestBrowser): Promise<void> {
  await mkdir(IMAGES, { recursive: true })
  const ownAssistant = {
    GATEPOST_ASSISTANT: 'command',
    GATEPOST_ASSISTANT_COMMAND: `'${process.execPath}' '${import.meta.filename}' --reply`,
  }
  const chats = await withDemo(browser, ['--connected'], ownAssistant, (demo) => takeChatPictures(browser, demo))
  const board = await withDemo(browser, [], {}, (demo) => takeBoardPictures(browser, demo))
  for (const [theme, suffix] of THEMES) {
    await savePicture(`platforms${suffix}.png`, await drawTogether(browser, theme, chats[theme]))
    await savePicture(`demo${suffix}.png`, board[theme])
  }
}

async function savePicture(name: string, png: Buffer): Promise<void> {
  await writeFile(join(IMAGES, name), png)
  process.stdout.write(`docs/images/${name}: ${png.length} bytes\n`)
  if (png.length > LIMIT) throw new Error(`${name} is larger than ${LIMIT} bytes.`)
}

/** Returns what the demo prints once it runs. */
async function readPrintedDemo(demo: ChildProcess): Promise<Demo> {
  let printed = ''
  for await (const chunk of demo.stdout ?? []) {
    printed += String(chunk)
    if (printed.includes('"platforms"') && printed.trimEnd().endsWith('\n}')) return JSON.parse(printed) as Demo // our own output
  }
  throw new Error(`The demo didn't start: ${printed}`)
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

await (process.argv.includes('--reply') ? replyToTurn() : main())
