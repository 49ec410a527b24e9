import { createLog, fileSink, type LineSink } from './log.ts'
import { redact, redactText } from './redact.ts'
import { type Clock, Secret } from '@gatepost/channels'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const BOT_TOKEN = `123456789:${'AbC-d_'.repeat(6)}`

function memorySink(): LineSink & { readonly lines: string[] } {
  const lines: string[] = []
  return { lines, write: (line) => void lines.push(line), flush: () => {}, close: () => {} }
}
const clockAt = (time: { ms: number }): Clock => ({ now: () => time.ms, sleep: () => Promise.resolve() })
const noon = Date.UTC(2026, 10, 21, 12)

describe('redaction', () => {
  const texts: readonly [why: string, text: string, clean: string][] = [
    ['a bot token', `use ${BOT_TOKEN}!`, 'use ****!'],
    [
      'a bot token in a path',
      `https://api.telegram.org/bot${BOT_TOKEN}/getMe`,
      'https://api.telegram.org/bot****/getMe',
    ],
    ['an escaped bot token', BOT_TOKEN.replace(':', '%3A'), '****'],
    ['a bearer', 'authorization: bearer abc.DEF-1=', 'authorization: bearer ****'],
    ['a password in a URL', 'postgres://gate:hunter2@db/x', 'postgres://****@db/x'],
    ['a password behind a scheme in a word', 'see x.postgres://gate:hunter2@db/x', 'see x.postgres://****@db/x'],
    ['a personal access token', `use gp_${'aB-_'.repeat(10)}xyz!`, 'use ****!'],
    ['the link of an invitation', 'at /accounts/invitation/aB-_aB-_aB-_/', 'at /accounts/invitation/****/'],
    ['the key of a mail', '"/accounts/password/reset/key/1-abc-0123/"', '"/accounts/password/reset/key/****/"'],
    ['32 bytes in place of an id', `/api/tokens/${'aB-_'.repeat(10)}xyz?a=b`, '/api/tokens/****?a=b'],
    ['an id', '/x/01a1ff5f-5603-7000-b471-d05283ac6502', '/x/01a1ff5f-5603-7000-b471-d05283ac6502'],
    ['a time is no token', '12:34:56', '12:34:56'],
  ]
  it.each(texts)('%s', (_why, text, clean) => {
    expect(redactText(text)).toBe(clean)
  })

  it('knows a token also where a long text is cut', () => {
    const cut = redactText(`${'x'.repeat(16_384 - 30)} ${BOT_TOKEN}${' and more'.repeat(10)}`)
    expect(cut).not.toContain('123456789:')
    expect(cut).toMatch(/\*\*\*\*.*… \(\d+ characters\)$/)
  })

  it('hides what names say, keeps the rest, and reads anything', () => {
    const circle: Record<string, unknown> = { name: 'a' }
    circle['self'] = circle
    const hostile = {
      get x() {
        throw new Error('no')
      },
    }
    const value = {
      bot_token: 'abc',
      apiKey: 'abc',
      headers: { Authorization: 'abc', 'set-cookie': ['abc'] },
      has_token: true,
      tokens: 3,
      secret: new Secret('abcdefghijkl'),
      nothing: null,
      big: 5n,
      bytes: new Uint8Array(3),
      map: new Map([['password', 'abc']]),
      circle,
      hostile,
    }
    expect(redact(value)).toEqual({
      bot_token: '****',
      apiKey: '****',
      headers: { Authorization: '****', 'set-cookie': ['****'] },
      has_token: true,
      tokens: 3,
      secret: '****',
      nothing: null,
      big: '5',
      bytes: '[3 bytes]',
      map: { password: '****' },
      circle: { name: 'a', self: '[circular]' },
      hostile: '[unreadable]',
    })
  })

  it('cleans an error, its stack, its cause and what hangs on it', () => {
    const cause = Object.assign(new Error(`bot${BOT_TOKEN} failed`), { password: 'abc', status: 401 })
    const text = JSON.stringify(redact({ error: new AggregateError([cause], 'outer', { cause }) }))
    expect(text).toContain('bot**** failed')
    expect(text).toContain('"status":401')
    expect(text).not.toMatch(new RegExp(`${BOT_TOKEN}|abc`))
  })
})

describe('a line', () => {
  it('is one JSON object, whatever the message holds', () => {
    const sink = memorySink()
    const log = createLog({ level: 'info', clock: clockAt({ ms: noon }), sinks: [sink] })
    log.debug('too small')
    log.info(`two\nlines ${BOT_TOKEN}`, { level: 9, msg: 'x', platform: 'telegram' })
    expect(sink.lines).toEqual([
      `${JSON.stringify({ level: 'info', time: '2026-11-21T12:00:00.000Z', level_: 9, msg_: 'x', platform: 'telegram', msg: 'two\nlines ****' })}\n`,
    ])
  })
})

describe('the file of the day', () => {
  let root: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'gatepost-'))
  })
  afterEach(() => rm(root, { recursive: true }))
  const read = (day: string): string => readFileSync(join(root, 'log', `gatepost-${day}.log`), 'utf8')

  it('changes at midnight, belongs to the owner, loses nothing at the end and is kept for two weeks', () => {
    const time = { ms: noon }
    fileSink(root, clockAt({ ms: Date.UTC(2026, 10, 1) }), memorySink()).close()
    const old = join(root, 'log', 'gatepost-2026-11-01.log')
    writeFileSync(join(root, 'log', 'notes.txt'), '')
    chmodSync(old, 0o644)
    const sink = fileSink(root, clockAt(time), memorySink())
    const log = createLog({ level: 'info', clock: clockAt(time), sinks: [sink] })
    log.info('before')
    time.ms = Date.UTC(2026, 10, 22)
    log.info('after')
    for (let i = 0; i < 1000; i += 1) log.info('many', { i })
    log.flush()
    expect(read('2026-11-22').split('\n')).toHaveLength(1002)
    log.close()
    expect(JSON.parse(read('2026-11-21'))).toMatchObject({ msg: 'before' })
    const names = readdirSync(join(root, 'log'))
    expect(names.toSorted()).toEqual(['gatepost-2026-11-21.log', 'gatepost-2026-11-22.log', 'notes.txt'])
    const modes = [join(root, 'log'), join(root, 'log', 'gatepost-2026-11-22.log')].map(
      (path) => statSync(path).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o600])
  })

  it('goes on in the old file when the new one cannot be made, and says so once', async () => {
    const time = { ms: noon }
    const other = memorySink()
    const sink = fileSink(root, clockAt(time), other)
    const log = createLog({ level: 'info', clock: clockAt(time), sinks: [sink] })
    log.info('before')
    await rm(join(root, 'log'), { recursive: true })
    time.ms += 86_400_000
    log.info('after')
    log.info('again')
    log.close()
    expect(other.lines).toHaveLength(1)
    expect(JSON.parse(other.lines[0] ?? '')).toMatchObject({ level: 'error', msg: "Couldn't write the log file" })
  })
})
