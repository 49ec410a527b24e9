import { expect, it } from 'vitest'
import type { FoundSent, KnownMessage } from '../../connection.ts'
import type { OutboundTextPart } from '../../message.ts'
import { never } from '../wire/testing.ts'
import { createSeenIds, type SeenIds, type SentFinder, telegramFindSent } from './find-sent.ts'

const chat = { id: '42', kind: 'direct' } as const
const part: OutboundTextPart = { kind: 'text', deliveryId: 'a.1', chat, body: 'x', plain: false }
const LATER = { found: 'later', afterMs: 1_000 }
const ABSENT = { found: 'absent' }
/** When an attempt that ended at 0 has settled. */
const SETTLED_MS = 3_000
const GIVE_UP_MS = SETTLED_MS + 10_000

/** Looks for `part`, whose attempt after message 100 ended at 0, at `atMs`. */
function search(
  arrange: (seen: SeenIds) => void,
  { known = [], atMs = GIVE_UP_MS }: { readonly known?: readonly KnownMessage[]; readonly atMs?: number } = {},
): Promise<FoundSent> {
  let nowMs = 0
  const seen = createSeenIds()
  seen.caughtUp()
  const finder = telegramFindSent(seen, () => nowMs)
  finder.ended(part.deliveryId)
  arrange(seen)
  nowMs = atMs
  return finder.find(part, '100', known, never)
}

const cases: readonly [why: string, arrange: (seen: SeenIds) => void, found: unknown][] = [
  ['the next id is that of a later message', (seen) => seen.see('42', 101, SETTLED_MS), ABSENT],
  [
    'every id up to a later message is another one, in whichever chat of the same counter',
    (seen) => {
      seen.see('42', 101)
      seen.see('-5', 102, 2_999)
      seen.see('43', 103, SETTLED_MS)
    },
    ABSENT,
  ],
  [
    'an id in between belongs to nothing that is known',
    (seen) => {
      seen.see('42', 101)
      seen.see('43', 103, SETTLED_MS)
    },
    { found: 'undecided' },
  ],
  [
    'the id in between is that of another counter',
    (seen) => {
      seen.see('-1005', 101)
      seen.see('43', 102, SETTLED_MS)
    },
    { found: 'undecided' },
  ],
  [
    'the later message began before the attempt had settled',
    (seen) => seen.see('43', 101, 2_999),
    { found: 'undecided' },
  ],
  ['messages of people prove nothing about the time', (seen) => seen.see('43', 101), { found: 'undecided' }],
  ['nothing followed', () => undefined, { found: 'undecided' }],
]
it.each(cases)('decides only what the ids prove: %s', async (_why, arrange, found) => {
  expect(await search(arrange)).toMatchObject(found as object) // as the table has it
})

it('knows the ids of stored messages, too', async () => {
  // a busy bot: 500 messages came in while nobody was there, in chats that share its counter
  const known = Array.from({ length: 500 }, (_, n) => ({
    chatId: n % 2 === 0 ? '7' : '-77',
    messageId: String(101 + n),
  }))
  const arrange = (seen: SeenIds): void => seen.see('43', 601, SETTLED_MS)
  expect(await search(arrange, { known })).toEqual(ABSENT)
  expect(await search(arrange, { known: known.toSpliced(250, 1) })).toMatchObject({ found: 'undecided' })
  const elsewhere = known.with(250, { chatId: '-1001', messageId: '351' })
  expect(await search(arrange, { known: elsewhere })).toMatchObject({ found: 'undecided' })
})

it('waits a little for a later message, but not when one has left a doubt', async () => {
  expect(await search(() => undefined, { atMs: GIVE_UP_MS - 1 })).toEqual(LATER)
  expect(await search((seen) => seen.see('43', 102, SETTLED_MS), { atMs: SETTLED_MS + 1 })).toMatchObject({
    found: 'undecided',
  })
})

it('waits until what was missed has been received, but not for ever', async () => {
  let nowMs = 0
  const seen = createSeenIds()
  const finder = telegramFindSent(seen, () => nowMs)
  finder.ended(part.deliveryId)
  seen.see('43', 101, SETTLED_MS)
  expect(await finder.find(part, '100', [], never)).toEqual(LATER)
  nowMs = SETTLED_MS + 60_000
  expect(await finder.find(part, '100', [], never)).toEqual(ABSENT)
})

it('takes the attempts of an earlier process for ended when this one began', async () => {
  let nowMs = 50_000
  const seen = createSeenIds()
  seen.caughtUp()
  const finder = telegramFindSent(seen, () => nowMs)
  nowMs = 60_000
  seen.see('43', 101, 52_999)
  expect(await finder.find(part, '100', [], never)).toEqual(LATER)
  nowMs = 63_000
  expect(await finder.find(part, '100', [], never)).toMatchObject({ found: 'undecided' })
})

it('marks the highest id known, from memory or from the part', async () => {
  const seen = createSeenIds()
  const finder: SentFinder = telegramFindSent(seen, () => 0)
  expect(finder.mark(part)).toBeNull()
  expect(finder.mark({ ...part, after: '12' })).toBe('12')
  seen.see('-5', 20)
  seen.see('-1005', 900)
  expect(finder.mark({ ...part, after: '12' })).toBe('20')
  expect(finder.mark({ ...part, chat: { id: '-1005', kind: 'group' } })).toBe('900')
  const file = { kind: 'file', deliveryId: 'a.2', chat, name: 'a', mime: 'b', path: '/c' } as const
  expect(finder.mark(file)).toBeNull()
  expect(await finder.find(part, 'no id', [], never)).toMatchObject({ found: 'undecided' })
})
