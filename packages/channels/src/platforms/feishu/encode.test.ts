import fc from 'fast-check'
import { expect, it } from 'vitest'
import { renderMarkdown } from '../../markdown/render.ts'
import { nextSequence } from './card-entities.ts'
import { feishuCredentials } from './credentials.ts'
import { feishuDialect, needsCard, tidyMarkdown, unescapeEntities } from './dialect.ts'
import { fileForm, idempotencyKey, textContent } from './encode.ts'
import { feishuLimits } from './limits.ts'
import { textPart } from './testing.ts'

const render = (source: string): string =>
  renderMarkdown(source, { dialect: feishuDialect, ...feishuLimits.text })
    .map(({ body }) => tidyMarkdown(body))
    .join('|')

it.each([
  ['**bold** and *slanted* and ~~gone~~ and `code`', '**bold** and *slanted* and ~~gone~~ and `code`'],
  ['# Title', '**Title**'],
  ['[words](https://a.b/c_(d))', '[words](https://a.b/c_%28d%29)'],
  ['> one\n> two', '> one\n> two'],
  ['before\n\n> one\n\nafter', 'before\n\n> one\n\nafter'],
  ['- > one\n- two', '• \n> one\n\n• two'],
  ['```\na\n\n\n\n> b\n```', '```\na\n\n\n\n> b\n```'],
  ['```js\nif (a < b) *x*\n```', '```js\nif (a < b) *x*\n```'],
  ['- one\n- two', '• one\n• two'],
  ['snake_case stays', 'snake_case stays'],
  ['2 \\* 3', '2 &#42; 3'],
  ['\\# no heading', '&#35; no heading'],
  ['\\<at id=all>\\</at>', '&#60;at id=all>&#60;/at>'],
  ['fish & chips, R&D', 'fish & chips, R&#38;D'],
  ['a :OK: b', 'a &#58;OK: b'],
])('writes %j as %j', (source, written) => {
  expect(render(source)).toBe(written)
})

it('shows exactly the characters of a text, and calls nobody', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const written = feishuDialect.text(text, [])
      expect(unescapeEntities(written)).toBe(text)
      expect(written).not.toMatch(/[<*`~|[\]]/)
    }),
  )
})

it('keeps the body of the longest message below 30 KB', () => {
  for (const char of ['"', '\\', '漢', '😀', '*', '\n']) {
    const [body = ''] = renderMarkdown(`x${char.repeat(3_500)}x`, { dialect: feishuDialect, ...feishuLimits.text }).map(
      (part) => part.body,
    )
    const content = { ...textContent(textPart(body)), uuid: 'x'.repeat(50), receive_id: 'x'.repeat(64) }
    expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(30 * 1024)
  }
})

it('takes a card for a fence and for what a post may not know', () => {
  expect([render('a **b**'), render('```\nx\n```'), render('a\\*b')].map(needsCard)).toEqual([false, true, true])
})

it('makes one key of at most 50 characters for every attempt', () => {
  const id = '0198c5a0-0000-7000-8000-000000000001.12'
  expect(idempotencyKey(id)).toBe(id)
  expect(idempotencyKey('x'.repeat(80))).toHaveLength(50)
  expect(idempotencyKey('x'.repeat(80))).toBe(idempotencyKey('x'.repeat(80)))
  expect(idempotencyKey('x'.repeat(80))).not.toBe(idempotencyKey('x'.repeat(81)))
})

it('numbers the operations on a card so that another process can go on', () => {
  const startMs = Date.UTC(2026, 10, 21)
  let sequence = nextSequence(0, startMs)
  for (let i = 1; i <= 600; i++) {
    const next = nextSequence(sequence, startMs + i * 100)
    expect(next).toBeGreaterThan(sequence)
    sequence = next
  }
  expect(nextSequence(0, startMs + 61_000)).toBeGreaterThan(sequence)
  expect(nextSequence(0, Date.UTC(2100, 0))).toBeLessThan(2 ** 31)
})

it.each([
  ['a.png', 'image/png', 10, { as: 'image' }],
  ['a.png', 'image/png', 11 * 1024 * 1024, { as: 'file', fileType: 'stream' }],
  ['a.svg', 'image/svg+xml', 10, { as: 'file', fileType: 'stream' }],
  ['a.opus', 'audio/ogg', 10, { as: 'audio', fileType: 'opus' }],
  ['a.mp4', 'video/mp4', 10, { as: 'file', fileType: 'stream' }],
  ['A.DOCX', 'application/x', 10, { as: 'file', fileType: 'doc' }],
])('uploads %s (%s, %i bytes) as %j', (name, mime, size, form) => {
  const part = {
    kind: 'file',
    deliveryId: 'a.1',
    chat: { id: 'oc_1', kind: 'direct' },
    name,
    mime,
    path: '/x',
  } as const
  expect(fileForm(part, size, feishuLimits.fileBytes.image)).toEqual(form)
})

const GOOD = { app_id: 'cli_0123456789abcdef', app_secret: 'a'.repeat(32) }
it('trims credentials', () => {
  const given = { app_id: ` ${GOOD.app_id}\n`, app_secret: `\t${GOOD.app_secret} `, domain: ' https://a.b/ ' }
  expect(feishuCredentials.schema.parse(given)).toEqual({ ...GOOD, domain: 'https://a.b' })
})
it.each([
  [{ ...GOOD, app_id: 'cli_123' }, 'app_id must be cli_ and 16 hexadecimal digits'],
  [{ ...GOOD, app_id: 'cli_0123456789abcdeg' }, 'app_id must be cli_ and 16 hexadecimal digits'],
  [{ app_id: GOOD.app_secret, app_secret: GOOD.app_id }, 'app_id must be'],
  [{ ...GOOD, app_secret: GOOD.app_id }, 'swapped'],
  [{ ...GOOD, app_secret: 'a b' }, 'app_secret must be'],
  [{ ...GOOD, domain: 'open.feishu.cn' }, 'domain must be an http or https URL'],
  [{ ...GOOD, domain: 'https://u:p@open.feishu.cn' }, 'domain must be an http or https URL'],
])('refuses %j and says why', (given, words) => {
  const parsed = feishuCredentials.schema.safeParse(given)
  expect(parsed.error?.issues[0]?.message).toContain(words)
})
