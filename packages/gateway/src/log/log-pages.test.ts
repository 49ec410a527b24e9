import { lineTap } from './open-log.ts'
import { createLogPages, type LogPages, type LogQuery } from './log-pages.ts'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const DAY_MS = 86_400_000
const NOW = Date.parse('2026-01-31T12:00:00Z')
const ANY: LogQuery = { level: 'debug', text: null, day: null, before: null, limit: 200 }
const going = new AbortController().signal

let folder: string
let nowMs: number
const tap = lineTap()
let logs: LogPages
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-log-'))
  nowMs = NOW
  logs = createLogPages({ folder, now: () => nowMs, flush: () => undefined, onLine: (wake) => tap.onLine(wake) })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const file = (day: string): string => join(folder, `gatepost-${day}.log`)
const line = (msg: string, level = 'info', more: object = {}): string =>
  `${JSON.stringify({ level, time: '2026-01-30T10:00:00.000Z', msg, ...more })}\n`
const messages = async (query: Partial<LogQuery> = {}): Promise<readonly string[]> =>
  (await logs.page({ ...ANY, ...query }, going)).lines.map(({ message }) => message)

it('pages through the days, the newest line first, each line once', async () => {
  const all: string[] = []
  for (const day of ['2026-01-28', '2026-01-29', '2026-01-31']) {
    const own = Array.from({ length: 700 }, (_, index) => `${day} ${index} é漢 ${'long '.repeat(index % 60)}`)
    await writeFile(file(day), own.map((text) => line(text)).join(''))
    all.unshift(...own.toReversed())
  }
  await writeFile(join(folder, 'other.log'), line('of somebody else'))
  const seen: string[] = []
  const ids = new Set<string>()
  let before: string | null = null
  for (;;) {
    const { lines, next, days } = await logs.page({ ...ANY, before, limit: 97 }, going)
    expect(days).toEqual(['2026-01-31', '2026-01-29', '2026-01-28'])
    seen.push(...lines.map(({ message }) => message))
    for (const { id } of lines) ids.add(id)
    if (next === null) break
    // what is written meanwhile moves nothing
    await appendFile(file('2026-01-31'), line('later'))
    before = next
  }
  expect(seen).toEqual(all)
  expect(ids.size).toBe(all.length)
  expect((await messages({ day: '2026-01-29', limit: 500 })).length).toBe(500)
  expect(await messages({ day: '2026-01-30' })).toEqual([])
  expect((await messages({ before: '2026-01-29:0' }))[0]).toBe(all[1400])
})

it('finds by level and by text, and nothing that is hidden', async () => {
  const token = `123456:${'A'.repeat(35)}`
  await writeFile(
    file('2026-01-31'),
    [
      line('Asked', 'debug', { url: `https://api.example.org/bot${token}/getMe` }),
      line('Sent', 'info', { platform: 'telegram', to: { name: 'Ann (A.*)' } }),
      line('Slow', 'warn', { api_key: 'made-up-secret', cause: { message: 'ÉTÉ' } }),
      line('Broken', 'error'),
    ].join(''),
  )
  expect(await messages()).toEqual(['Broken', 'Slow', 'Sent', 'Asked'])
  expect(await messages({ level: 'warn' })).toEqual(['Broken', 'Slow'])
  expect(await messages({ text: 'TELEGRAM' })).toEqual(['Sent'])
  expect(await messages({ text: '(a.*)' })).toEqual(['Sent'])
  expect(await messages({ text: '.*' })).toEqual(['Sent'])
  expect(await messages({ text: 'été' })).toEqual(['Slow'])
  expect(await messages({ text: 'AAAAA' })).toEqual([])
  expect(await messages({ text: 'made-up' })).toEqual([])
  const page = JSON.stringify(await logs.page(ANY, going))
  expect(page).not.toMatch(/A{35}|made-up/)
  expect(page).toContain('****')
})

it('passes over what is none of its lines, and over those about itself', async () => {
  const long = line('long', 'info', { text: 'x'.repeat(3 * 1024 * 1024) })
  await writeFile(
    file('2026-01-31'),
    [
      'cut off here"}\n',
      line('first'),
      '\n{}\n[1]\nnull\n"x"\n',
      `{"level":"info","time":"x","msg":"no time"}\n{"level":"loud","time":"2026-01-30T10:00:00Z","msg":"x"}\n`,
      `{"level":"info","time":"2026-01-30T10:00:00Z","msg":7}\n`,
      Buffer.from([0xff, 0xfe, 0x0a, 0x00, 0x0a]),
      long,
      line('Request', 'debug', { path: '/api/logs' }),
      line('Request', 'debug', { path: '/api/logs/stream' }),
      line('Request', 'debug', { path: '/api/service' }),
      line('last').slice(0, 20),
    ]
      .map((part) => (typeof part === 'string' ? Buffer.from(part) : part))
      .reduce((all, part) => Buffer.concat([all, part])),
  )
  expect(await messages()).toEqual(['Request', 'first'])
  expect(await messages({ before: '2026-01-31:30' })).toEqual([])
  expect(await messages({ before: '2026-01-31:999999999999999' })).toEqual(['Request', 'first'])
  expect(await messages({ before: '9999-99-99:0' })).toEqual(['Request', 'first'])
  expect(await messages({ before: '0000-00-00:0' })).toEqual([])
})

it('reads a bounded part of a large file, and goes on where it ended', async () => {
  const filler = line('filler', 'debug', { text: 'x'.repeat(10_000) }).repeat(2000)
  await writeFile(file('2026-01-31'), line('needle') + filler)
  const first = await logs.page({ ...ANY, text: 'needle' }, going)
  expect([first.lines, first.next]).toEqual([[], expect.stringMatching(/^2026-01-31:\d+$/)])
  expect(await messages({ text: 'needle', before: first.next })).toEqual(['needle'])
})

it('tells what is written from now on, with the ids of the list, over midnight', async () => {
  await writeFile(file('2026-01-31'), line('before'))
  const leaving = new AbortController()
  const lines = logs.follow(leaving.signal)[Symbol.asyncIterator]()
  const write = async (day: string, text: string): Promise<void> => {
    await appendFile(file(day), text)
    tap.write(text)
  }
  let began: readonly [id: string, message: string] | null = null
  const next = async (): Promise<readonly [id: string, message: string]> => {
    for (;;) {
      const { done, value } = await lines.next()
      if (done === true) throw new Error('it ended')
      began = [value.id, value.message]
      if (value.message !== 'zero') return began
    }
  }
  const first = next()
  while (began === null) await write('2026-01-31', line('zero'))
  await write('2026-01-31', line('Request', 'debug', { path: '/api/logs' }) + line('one'))
  const [id, message] = await first
  expect(message).toBe('one')
  expect((await logs.page(ANY, going)).lines[0]?.id).toBe(id)
  await write('2026-01-31', line('two').slice(0, 30))
  await write('2026-01-31', line('two').slice(30) + line('three'))
  expect((await next())[1]).toBe('two')
  expect((await next())[1]).toBe('three')
  await writeFile(file('2026-01-31'), '')
  await write('2026-01-31', line('emptied by somebody'))
  expect(await next()).toEqual(['2026-01-31:0', 'emptied by somebody'])
  await appendFile(file('2026-01-31'), line('four'))
  nowMs += DAY_MS
  await write('2026-02-01', line('five'))
  expect((await next())[1]).toBe('four')
  expect(await next()).toEqual(['2026-02-01:0', 'five'])
  const end = lines.next()
  leaving.abort()
  expect(await end).toMatchObject({ done: true })
})
