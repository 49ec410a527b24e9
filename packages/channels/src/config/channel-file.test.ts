import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChannelError } from '../errors.ts'
import { editChannelFile, parseChannelFile } from './channel-file.ts'
import type { StoredChannel } from './credential-store.ts'

const FILE = 'channels.yml'
const TOKEN = '4242424242:a-secret-of-thirty-characters-or-more'

const parse = (text: string): ReturnType<typeof parseChannelFile> => parseChannelFile(text, FILE)
const edit = (text: string, channel: StoredChannel | undefined): string =>
  editChannelFile(text, FILE, 'telegram', channel)

/** What `work` throws, which must be of this package. */
function brokenBy(work: () => unknown): ChannelError {
  try {
    work()
  } catch (error) {
    if (error instanceof ChannelError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

const HAND_WRITTEN = `# my bots
# lark comes first: it is the older one
lark:
  app_id: cli_1 # from the console
  enabled: false

# the private one
platform_e:
  bot_token: ${TOKEN} # do not share
  allowed_users: [42, "43"] # Ann and Ben
`

const telegram: StoredChannel = { enabled: true, allowedUsers: ['42', '43'], credentials: { bot_token: TOKEN } }

describe('reading', () => {
  it('takes aliases as keys, user ids without quotes, and defaults', () => {
    expect(parse(HAND_WRITTEN)).toEqual({
      feishu: { enabled: false, allowedUsers: [], credentials: { app_id: 'cli_1' } },
      telegram,
    })
  })

  it.each([
    ['nothing', ''],
    ['comments alone', '# nothing yet\n'],
    ['an empty map', '{}'],
  ])('reads %s as no channels', (_what, text) => {
    expect(parse(text)).toEqual({})
  })

  it('reads lines that end in CR LF, a byte order mark, and names in any case', () => {
    expect(parse(`\uFEFF# mine\r\nTelegram:\r\n  bot_token: ${TOKEN}\r\n  allowed_users:\r\n    - 42\r\n`)).toEqual({
      telegram: { enabled: true, allowedUsers: ['42'], credentials: { bot_token: TOKEN } },
    })
  })

  it('keeps every digit of a user id that is larger than a double holds', () => {
    expect(parse('discord:\n  allowed_users: [1234567890123456789, 7]').discord?.allowedUsers).toEqual([
      '1234567890123456789',
      '7',
    ])
  })

  const bomb = `telegram:
  a: &a [x, x, x, x, x, x, x, x, x]
  b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]
  c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]
  d: [*c, *c, *c, *c, *c, *c, *c, *c, *c]`
  it.each<[why: string, text: string, line: number, column: number]>([
    ['a tab as indentation', `telegram:\n\tbot_token: ${TOKEN}`, 2, 1],
    ['a quote that does not end', `telegram:\n  bot_token: "${TOKEN}\n`, 3, 1],
    ['a key that stands twice', `telegram:\n  bot_token: ${TOKEN}\n  bot_token: x`, 3, 3],
    ['a platform under two names', `telegram: {}\nplatform_e: {}`, 2, 1],
    ['no platform', `telegram: {}\ntelegran:\n  bot_token: ${TOKEN}`, 2, 1],
    ['no map', `- ${TOKEN}`, 1, 1],
    ['a text alone', TOKEN, 1, 1],
    ['a channel that is no map', `telegram: ${TOKEN}`, 1, 1],
    ['a channel without anything', `telegram:\n`, 1, 1],
    ['a map as key', `? {bot_token: ${TOKEN}}\n: x`, 1, 3],
    ['a flag that is none', `telegram:\n  enabled: ${TOKEN}`, 2, 12],
    ['user ids that are none', `telegram:\n  bot_token: a\n  allowed_users: [{a: ${TOKEN}}]`, 3, 19],
    ['two documents', `telegram: {}\n---\nlark: {}`, 2, 1],
    ['an alias', `telegram: &t\n  bot_token: a\nlark: *t`, 3, 7],
    ['an alias of nothing', 'telegram: *t', 1, 11],
    ['an alias bomb', bomb, 3, 10],
  ])('refuses %s, naming the place', (_why, text, line, column) => {
    const error = brokenBy(() => parse(text))
    expect(error).toMatchObject({ code: 'config_broken', details: { line, column } })
    expect(error.message).toContain(`Couldn't read ${FILE}: line ${line}, column ${column}: `)
    expect(error.message).not.toContain(TOKEN)
  })

  it.each([
    ['lists', '[', ']'],
    ['maps', '{a: ', '}'],
  ])('refuses nested %s that would fill the stack', (_what, open, close) => {
    const text = `telegram: ${open.repeat(20_000)}${close.repeat(20_000)}`
    expect(brokenBy(() => parse(text)).code).toBe('config_broken')
  })

  it('reads or refuses whatever stands there, and repeats none of it', () => {
    const structure = fc.constantFrom(
      '\n',
      '  ',
      ': ',
      '- ',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '\t',
      '|',
      '? ',
    )
    const word = fc.constantFrom(
      'telegram',
      'lark',
      'enabled',
      'allowed_users',
      'S3CRETONE',
      'S3CRETTWO',
      '!tag ',
      '<<',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(structure, word), { maxLength: 40 }), (pieces) => {
        const warned: string[] = []
        const onWarning = (warning: Error): void => void warned.push(warning.message)
        process.on('warning', onWarning)
        try {
          parse(pieces.join(''))
        } catch (error) {
          expect(error).toBeInstanceOf(ChannelError)
          expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('S3CRET')
        } finally {
          process.off('warning', onWarning)
        }
        expect(warned).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })

  it('warns of nothing by way of the process, where the text could be seen', async () => {
    const warned: Error[] = []
    const onWarning = (warning: Error): void => void warned.push(warning)
    process.on('warning', onWarning)
    parse(`telegram:\n  ? {bot_token: ${TOKEN}}\n  : x\n  !secret a: !${'hidden'} b`)
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warned).toEqual([])
  })
})

describe('editing', () => {
  it('changes only what is to be changed: comments, order and names stay', () => {
    const changed = edit(HAND_WRITTEN, { ...telegram, enabled: false, credentials: { bot_token: 'new' } })
    expect(changed).toBe(
      HAND_WRITTEN.replace(TOKEN, 'new').replace(
        '[42, "43"] # Ann and Ben\n',
        '[42, "43"] # Ann and Ben\n  enabled: false\n',
      ),
    )
  })

  it('leaves a file alone in which nothing changes', () => {
    const text = `telegram:\n  # why\n  enabled: true\n  bot_token: ${TOKEN}\n  allowed_users: [42, 43]\n`
    expect(edit(text, telegram)).toBe(text)
  })

  it('writes a new file with a header, which is kept afterwards', () => {
    const first = edit('', telegram)
    expect(first).toMatch(/^# Channels of one account\./)
    const second = edit(first, { ...telegram, enabled: false })
    expect(second).toBe(first.replace('enabled: true', 'enabled: false'))
    expect(parse(second)).toEqual({ telegram: { ...telegram, enabled: false } })
  })

  it('removes a channel and nothing else', () => {
    expect(parse(edit(HAND_WRITTEN, undefined))).toEqual({
      feishu: { enabled: false, allowedUsers: [], credentials: { app_id: 'cli_1' } },
    })
    expect(edit(HAND_WRITTEN, undefined)).toContain('# my bots')
  })

  it('keeps comments of a file that has no channels yet', () => {
    const changed = edit('# kept for later\n', telegram)
    expect(changed).toContain('# kept for later')
    expect(parse(changed)).toEqual({ telegram })
  })

  it('does not round the user ids of another platform', () => {
    const text = `discord:\n  allowed_users: [1234567890123456789]\n`
    expect(edit(text, telegram)).toContain('[1234567890123456789]')
  })

  it('refuses to change what it cannot read', () => {
    expect(brokenBy(() => edit('telegram: [', telegram)).code).toBe('config_broken')
  })

  it('reads back what it has written, whatever the values are', () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'true',
        'null',
        '~',
        '42',
        '0x1f',
        '1e3',
        '# no comment',
        'a: b',
        '- a',
        '*a',
        '&a',
        '!a',
        '"',
        '\n',
        '\r\n',
        '\t',
        '\u2028',
        '---',
        '=',
        '<<',
        '01',
        '12:30:45',
        '.inf',
      ),
    )
    const channel = fc.record({
      enabled: fc.boolean(),
      allowedUsers: fc.array(text.filter((id) => id !== '')),
      credentials: fc.record({ bot_token: text, base_url: text }),
    })
    fc.assert(
      fc.property(channel, channel, (first, second) => {
        const once = edit(HAND_WRITTEN, first)
        expect(parse(once).telegram).toEqual(first)
        const twice = edit(once, second)
        expect(parse(twice).telegram).toEqual(second)
        expect(parse(twice).feishu).toEqual(parse(HAND_WRITTEN).feishu)
        expect(twice).toContain('# lark comes first: it is the older one')
      }),
      { numRuns: 500 },
    )
  })
})
