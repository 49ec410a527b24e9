import type { Page, Route } from 'playwright-core'
import { fixedResponse } from './fixed-answers.ts'

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
