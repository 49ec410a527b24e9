import { expect, it } from 'vitest'
import { manualClock } from '../../testing/clock.ts'
import { readJson, readRetryAfter } from './call.ts'
import { download, fetchedMedia, readMimeType, pictureType, requireSize } from './download.ts'
import { never } from './testing.ts'

const limits = { signal: never, timeoutMs: 1_000 }
const MAX = 8

const get = (answer: () => Promise<Response>): ReturnType<typeof download> =>
  download({ clock: manualClock(0), fetch: answer }, 'https://files.example/x', MAX, limits)

const bytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count).fill(7)

/** In two pieces, without a length; `cancelled` is told when nobody reads on. */
const inPieces = (count: number, cancelled = (): void => undefined): Response => {
  let left = count
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (left <= 0) return controller.close()
    controller.enqueue(bytes(Math.min(left, 5)))
    left -= 5
  }
  return new Response(new ReadableStream({ pull, cancel: cancelled }, { highWaterMark: 0 }))
}

it.each([
  ['with its length', () => new Response(bytes(MAX), { headers: { 'content-length': String(MAX) } }), bytes(MAX)],
  ['in pieces', () => inPieces(MAX), bytes(MAX)],
  ['of nothing', () => new Response(null), bytes(0)],
])('gets a file %s', async (_why, answer, got) => {
  const file = await get(async () => answer())
  expect(file.ok && Buffer.compare(file.bytes, got)).toBe(0)
})

it.each([
  ['of an announced length', () => new Response(bytes(1), { headers: { 'content-length': String(MAX + 1) } })],
  ['that announced less', () => new Response(bytes(MAX + 1), { headers: { 'content-length': '1' } })],
  ['in pieces', () => inPieces(MAX + 1)],
])('takes no file that is too large: %s', async (_why, answer) => {
  expect(await get(async () => answer())).toEqual({ ok: false, problem: 'too_large' })
})

it('reads no further than the limit', async () => {
  let cancelled = false
  const answer = inPieces(1_000_000, () => {
    cancelled = true
  })
  expect(await get(async () => answer)).toMatchObject({ problem: 'too_large' })
  expect(cancelled).toBe(true)
})

it.each([
  [301, 'HTTP 301 for the file'],
  [404, 'HTTP 404 for the file'],
])('takes HTTP %i for no file', async (status, detail) => {
  const answer = new Response('elsewhere', { status, headers: { location: 'https://elsewhere.example' } })
  expect(await get(async () => answer)).toEqual({ ok: false, problem: 'unavailable', status, detail })
})

it('tells why nothing came', async () => {
  const lost = Object.assign(new Error('https://host/secret'), { code: 'ECONNRESET' })
  const detail = 'the connection failed (ECONNRESET)'
  expect(await get(() => Promise.reject(lost))).toEqual({ ok: false, problem: 'unavailable', status: null, detail })
})

it('hands on what is known of a file', () => {
  const file = bytes(1)
  expect(fetchedMedia(file, { name: '', mime: undefined })).toEqual({ bytes: file })
  expect(fetchedMedia(file, { name: 'a.txt', mime: 'text/plain' })).toEqual({
    bytes: file,
    name: 'a.txt',
    mime: 'text/plain',
  })
  const media = { kind: 'file', ref: 'r', sizeBytes: MAX } as const
  expect(() => requireSize(media, MAX)).not.toThrow()
  expect(() => requireSize(media, MAX - 1)).toThrow(expect.objectContaining({ code: 'media_too_large' }))
})

it.each([
  ['image/PNG; a=b', 'image/png'],
  ['application/octet-stream', undefined],
  ['', undefined],
])('takes the type %j as %j', (header, mime) => {
  expect(readMimeType(new Headers({ 'content-type': header }))).toBe(mime)
})

it.each([
  ['3', 3_000],
  [' 3 ', 3_000],
  ['999999', 86_400_000],
  ['-1', undefined],
  ['Sat, 21 Nov 2026 00:00:00 GMT', undefined],
])('takes a Retry-After of %j as %j', (header, ms) => {
  expect(readRetryAfter(new Response(null, { headers: { 'retry-after': header } }))).toBe(ms)
})

it('reads no JSON that is too large or none', async () => {
  expect(await readJson(new Response('[1]'), 3)).toEqual([1])
  expect(await readJson(new Response('[1,2]'), 3)).toBeUndefined()
  expect(await readJson(new Response('<html>'), 30)).toBeUndefined()
})

it.each([
  ['ffd8ffe000104a46494600', 'image/jpeg'],
  ['89504e470d0a1a0a0000', 'image/png'],
  ['474946383961', 'image/gif'],
  ['524946462400000057454250', 'image/webp'],
  ['524946462400000057415645', undefined],
  ['89504e47', undefined],
  ['', undefined],
])('takes what begins with %s for %s', (start, mime) => {
  expect(pictureType(Buffer.from(start, 'hex'))).toBe(mime)
})
