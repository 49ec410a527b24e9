import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import type { Page, Route } from 'playwright-core'
import { PNG } from 'pngjs'
import type { LogLine, Operations, Traffic } from '../api/gateway-api.ts'

/** When the world was created, as shown on the pages. */
const MADE_AT_MS = Date.UTC(2026, 1, 3, 9)
/** The pages' current time, so that ages are whole hours. */
const LOOKED_AT_MS = MADE_AT_MS + 90 * 60_000

/**
 * Makes runs look alike: freezes the page's clock in one time zone and shifts the times in responses to it.
 * @param madeAtMs When the world was created.
 */
export async function freezePage(page: Page, madeAtMs: number): Promise<void> {
  await page.clock.setFixedTime(LOOKED_AT_MS)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' })
  await page.route(/\/(?:api|_allauth)\//, (route) => answer(route, madeAtMs))
}

async function answer(route: Route, madeAtMs: number): Promise<void> {
  if (route.request().headers()['accept'] === 'text/event-stream') return route.fallback()
  const url = new URL(route.request().url())
  const fixed = fixedResponse(url, MADE_AT_MS)
  const response = await route.fetch()
  const isJson = response.headers()['content-type']?.startsWith('application/json') === true
  const given: unknown = isJson ? await response.json() : null
  const body = response.ok() && fixed !== null ? fixed : isJson ? shiftTimes(given, madeAtMs) : null
  await route.fulfill({ response, ...(body !== null && { body: JSON.stringify(body) }) })
}

/** Shifts all times in a response: ms since the Unix epoch, or seconds in the API of accounts. */
function shiftTimes(value: unknown, madeAtMs: number): unknown {
  if (typeof value === 'number') {
    if (value > 1.6e12 && value < 2.2e12) return shiftTime(value, madeAtMs)
    return value > 1.6e9 && value < 2.2e9 ? Math.round(shiftTime(value * 1000, madeAtMs) / 1000) : value
  }
  if (Array.isArray(value)) return value.map((item) => shiftTimes(item, madeAtMs))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shiftTimes(item, madeAtMs)]))
}

/** Longer than a run takes. */
const AHEAD_MS = 150_000

/** Shifts past times to the world's creation and future ones to the pages' current time. */
const shiftTime = (ms: number, madeAtMs: number): number =>
  ms - madeAtMs + (ms - madeAtMs > AHEAD_MS ? LOOKED_AT_MS : MADE_AT_MS)

/** A script that normalizes IDs, ports, minutes and durations in the page and removes the focus. */
export const NORMALIZE_TEXTS = `(() => {
  const rules = [
    [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '00000000-0000-7000-8000-000000000000'],
    [/\\b[0-9a-f]{32}\\b/g, '0'.repeat(32)],
    [/\\b(127\\.0\\.0\\.1|localhost):\\d{4,5}\\b/g, '$1:7070'],
    [/\\b\\d{1,2}:\\d\\d(:\\d\\d)?\\b/g, (time) => time.replaceAll(/\\d/g, '0')],
    [/\\b\\d+(\\.\\d+)? (ms|s|sec)\\b/g, '1 $2'],
  ]
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const alike = rules.reduce((data, [found, instead]) => data.replace(found, instead), text.data)
    if (alike !== text.data) text.data = alike
  }
  // hours and minutes in separate text nodes
  for (const time of document.querySelectorAll('time')) {
    if (!/\\d:\\d\\d/.test(time.textContent)) continue
    for (const part of time.childNodes) if (/\\d/.test(part.data)) part.data = part.data.replaceAll(/\\d/g, '0')
  }
  document.activeElement.blur()
})()`

const KEPT = join(import.meta.dirname, '..', '..', 'pictures')
/** Where differing pictures and their diffs are written. */
const CACHE = join(import.meta.dirname, '..', '..', '..', '..', '.cache', 'pictures')
/** Share of pixels that may differ, apart from the edges of letters. */
const TOLERANCE = 0.0002

/**
 * Compares a picture with the stored one; `UPDATE_PICTURES=1` replaces it.
 * @returns a message about the difference, or `null`
 */
export function comparePicture(name: string, taken: Buffer): string | null {
  const file = join(KEPT, `${name}.png`)
  const isRenewed = process.env['UPDATE_PICTURES'] === '1'
  if (isRenewed && (!existsSync(file) || findDifference(readFileSync(file), taken) !== null)) write(file, taken)
  if (isRenewed) return null
  if (!existsSync(file)) {
    write(join(CACHE, `${name}.png`), taken)
    return `${name} has no stored picture: check .cache/pictures, then run the test with UPDATE_PICTURES=1`
  }
  const found = findDifference(readFileSync(file), taken)
  if (found === null) return null
  write(join(CACHE, `${name}.png`), taken)
  if (found.drawing !== null) write(join(CACHE, `${name}-differs.png`), found.drawing)
  return `${name} differs from its stored picture (${found.what}): check .cache/pictures, then run the test with UPDATE_PICTURES=1`
}

interface Difference {
  readonly what: string
  readonly drawing: Buffer | null
}

function findDifference(kept: Buffer, taken: Buffer): Difference | null {
  if (kept.equals(taken)) return null
  const [before, after] = [PNG.sync.read(kept), PNG.sync.read(taken)]
  const { width, height } = before
  if (width !== after.width || height !== after.height) {
    return { what: `${after.width} by ${after.height}, not ${width} by ${height}`, drawing: null }
  }
  const drawing = new PNG({ width, height })
  const count = pixelmatch(before.data, after.data, drawing.data, width, height, { threshold: 0.1 })
  return count <= width * height * TOLERANCE ? null : { what: `${count} pixels`, drawing: PNG.sync.write(drawing) }
}

function write(file: string, picture: Buffer): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, picture)
}

/**
 * Returns fixed data for responses that differ between runs: measured times and the log.
 * @returns `null` to use the service's own response
 */
function fixedResponse(url: URL, madeAtMs: number): unknown {
  if (url.pathname.endsWith('/api/analytics')) {
    return traffic(Number(url.searchParams.get('from')), Number(url.searchParams.get('to')))
  }
  return url.pathname.endsWith('/api/logs') ? log(madeAtMs) : null
}

const STEP_MS = 15 * 60_000

/** Traffic of a quiet night and a busy day. */
function traffic(from: number, to: number): Traffic {
  const steps = Array.from({ length: Math.round((to - from) / STEP_MS) }, (_, step) => step)
  const line = (size: number, phase: number): readonly number[] =>
    steps.map((step) => Math.round(size * (1 + Math.sin((step + phase) / 9)) + (step % 4)))
  const of = (platform: 'telegram' | 'feishu', size: number): Traffic['platforms'][number] => ({
    platform,
    received: line(size, 0),
    answered: line(size, 0),
    failed: steps.map((step) => (step % 31 === 7 ? 1 : 0)),
    delivered: line(size, 1),
    refused: steps.map((step) => (step % 37 === 5 ? 1 : 0)),
    unknown: steps.map(() => 0),
  })
  const answerMs = steps.map((step) => ({ p50: 300 + (step % 7) * 20, p95: 900 + (step % 11) * 60 }))
  return {
    from,
    to,
    step_ms: STEP_MS,
    platforms: [of('telegram', 9), of('feishu', 4)],
    answer_ms: answerMs,
    totals: {
      received: 1_430,
      answered: 1_427,
      failed: 6,
      delivered: 1_433,
      refused: 4,
      unknown: 0,
      answer_ms: { p50: 340, p95: 1_200 },
    },
  }
}

function log(madeAtMs: number): Operations['listLogs']['answer'] {
  const line = (at: number, level: LogLine['level'], message: string, fields: LogLine['fields'] = {}): LogLine => ({
    id: `2026-02-03:${at}`,
    time: madeAtMs + at * 1000,
    level,
    message,
    fields,
  })
  return {
    items: [
      line(9, 'error', 'The harbour does not answer', { platform: 'feishu', status: 502 }),
      line(7, 'warn', 'The harbour is slow', { platform: 'feishu', seconds: 4 }),
      line(5, 'info', 'A message of the harbour was answered', { platform: 'telegram', account: 'owner' }),
      line(2, 'info', 'The harbour is open', { platform: 'telegram', state: 'running' }),
      line(1, 'debug', 'The harbour opens'),
    ],
    next: null,
    days: ['2026-02-03'],
  }
}
