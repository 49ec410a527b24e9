import type { Page, Route } from 'playwright-core'
import { fixedAnswer } from './fixed-answers.ts'

/** When the world was made, as the pages see it. */
const MADE_AT_MS = Date.UTC(2026, 1, 3, 9)
/** When the pages are looked at: every age is a whole hour then. */
const LOOKED_AT_MS = MADE_AT_MS + 90 * 60_000

/**
 * Makes every run look alike: the clock of the page stands still, in one zone, and the times in answers are moved to
 * where it stands.
 * @param madeAtMs When the world began to be made.
 */
export async function standStill(page: Page, madeAtMs: number): Promise<void> {
  await page.clock.setFixedTime(LOOKED_AT_MS)
  const session = await page.context().newCDPSession(page)
  await session.send('Emulation.setTimezoneOverride', { timezoneId: 'UTC' })
  await page.route(/\/(?:api|_allauth)\//, (route) => answer(route, madeAtMs))
}

async function answer(route: Route, madeAtMs: number): Promise<void> {
  if (route.request().headers()['accept'] === 'text/event-stream') return route.fallback()
  const url = new URL(route.request().url())
  const fixed = fixedAnswer(url, MADE_AT_MS)
  const response = await route.fetch()
  const isJson = response.headers()['content-type']?.startsWith('application/json') === true
  const given: unknown = isJson ? await response.json() : null
  const body = response.ok() && fixed !== null ? fixed : isJson ? moved(given, madeAtMs) : null
  await route.fulfill({ response, ...(body !== null && { body: JSON.stringify(body) }) })
}

/** Times of answers are numbers: milliseconds since the Unix epoch, of accounts seconds. */
function moved(value: unknown, madeAtMs: number): unknown {
  if (typeof value === 'number') {
    if (value > 1.6e12 && value < 2.2e12) return movedTime(value, madeAtMs)
    return value > 1.6e9 && value < 2.2e9 ? Math.round(movedTime(value * 1000, madeAtMs) / 1000) : value
  }
  if (Array.isArray(value)) return value.map((item) => moved(item, madeAtMs))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, moved(item, madeAtMs)]))
}

/** Longer than a run takes. */
const AHEAD_MS = 150_000

/** What was, to when the world was made; what will be, to when it is looked at. */
const movedTime = (ms: number, madeAtMs: number): number =>
  ms - madeAtMs + (ms - madeAtMs > AHEAD_MS ? LOOKED_AT_MS : MADE_AT_MS)

/** Ids, ports, minutes and durations are others at every run: they are made alike where they are shown. Nothing has the focus. */
export const MAKE_ALIKE = `(() => {
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
  // where hours and minutes are texts of their own
  for (const time of document.querySelectorAll('time')) {
    if (!/\\d:\\d\\d/.test(time.textContent)) continue
    for (const part of time.childNodes) if (/\\d/.test(part.data)) part.data = part.data.replaceAll(/\\d/g, '0')
  }
  document.activeElement.blur()
})()`
