import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { launchBrowser, type TestBrowser } from '@gatepost/gateway/testing/browser'
import type { Page } from 'playwright-core'

/**
 * Takes the pictures of the manual: `node tools/demo-pictures.ts` runs `gatepost demo`, talks to it in a browser, and
 * writes docs/images/demo.png and demo-dark.png. The answers come from this file, run as the assistant's program.
 */

const ROOT = join(import.meta.dirname, '..')
const IMAGES = join(ROOT, 'docs', 'images')
/** Largest picture, bytes. */
const LIMIT = 250_000

/** What the assistant answers, by what the message holds. */
const ANSWERS: readonly (readonly [asked: string, answer: string])[] = [
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
  ['missing name', '`Ines Duarte` is on the list: it is complete now.'],
  ['the fuel', 'It will be done in time:\n\n```\n11:02   420 l\n11:21   510 l\n11:40   600 l\n```'],
]

/** One turn of the assistant: a JSON object on standard input, lines of JSON out. */
async function answer(): Promise<void> {
  const turn = JSON.parse(await text(process.stdin)) as { messages: readonly { text: string }[] } // the gateway's own
  const asked = turn.messages.at(-1)?.text ?? ''
  const [, said = 'I do not know.'] = ANSWERS.find(([words]) => asked.includes(words)) ?? []
  process.stdout.write(`${JSON.stringify({ text: said })}\n${JSON.stringify({ done: true })}\n`)
}

async function converse(page: Page): Promise<void> {
  const box = page.getByLabel('Message', { exact: true })
  const say = async (words: string, reply: string): Promise<void> => {
    await box.fill(words)
    await page.keyboard.press('Enter')
    await page.locator('.of-bot:not(.draft)', { hasText: reply }).waitFor()
  }
  await say('Morning! What is left to do before the Marlin sails?', 'Three things')
  await page.getByLabel('Attach a file').setInputFiles({
    name: 'crew-list.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('name,role\nMilo Okafor,master\nInes Duarte,mate\n'),
  })
  await say('Here is the missing name.', 'complete')
  await page.getByRole('button', { name: /^Answer: Three things/ }).click()
  await say('And the fuel?', 'in time')
  await page.getByText('Waiting updates').hover() // away from the messages
  await page.locator('#pending', { hasText: '0' }).waitFor()
}

async function takePictures(browser: TestBrowser, address: string): Promise<void> {
  await mkdir(IMAGES, { recursive: true })
  for (const [theme, name, user] of [
    ['light', 'demo.png', 1001],
    ['dark', 'demo-dark.png', 1002],
  ] as const) {
    const page = await browser.open(`${address}?user=${user}`, { theme, width: 1240, height: 888, scale: 1.4 })
    await converse(page)
    const path = join(IMAGES, name)
    await page.screenshot({ path })
    const { size } = await stat(path)
    process.stdout.write(`docs/images/${name}: ${size} bytes\n`)
    if (size > LIMIT) throw new Error(`${name} has more than ${LIMIT} bytes`)
  }
}

/** The address of the chat page, once `demo` has printed it. */
async function addressOf(demo: ChildProcess): Promise<string> {
  let printed = ''
  for await (const chunk of demo.stdout ?? []) {
    printed += String(chunk)
    const found = /"page": "([^"]+)"/.exec(printed)?.[1]
    if (found !== undefined) return found
  }
  throw new Error(`The demo did not start: ${printed}`)
}

async function main(): Promise<void> {
  const demo = spawn(process.execPath, [join(ROOT, 'packages/gateway/src/cli/main.ts'), 'demo', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      GATEPOST_ASSISTANT: 'command',
      GATEPOST_ASSISTANT_COMMAND: `'${process.execPath}' '${import.meta.filename}' --answer`,
    },
  })
  const browser = await launchBrowser()
  try {
    await takePictures(browser, await addressOf(demo))
    await browser.closePages()
  } finally {
    await browser.close()
    demo.kill('SIGINT')
    await once(demo, 'close')
  }
}

await (process.argv.includes('--answer') ? answer() : main())
