import { expect, it } from 'vitest'
import type { OutboundTextPart } from '../../message.ts'
import type { FoundSent } from '../../connection.ts'
import { never } from '../wire/testing.ts'
import { createSeenIds, telegramFindSent } from './find-sent.ts'
import type { Answer } from './outcome.ts'

const chat = { id: '42', kind: 'direct' } as const
const part: OutboundTextPart = { kind: 'text', deliveryId: 'a.1', chat, body: 'x', plain: false }

const refused = (status: number, description: string, retryAfterMs?: number): Answer => ({
  ok: false,
  failure: { kind: 'answer', status, description, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
})
const SAME = refused(400, 'Bad Request: message is not modified')
const NOT_FOUND = refused(400, 'Bad Request: message to edit not found')
const NOT_OURS = refused(400, "Bad Request: message can't be edited")

function seenEverything(): ReturnType<typeof createSeenIds> {
  const seen = createSeenIds()
  seen.caughtUp()
  return seen
}

/** Looks for `part` after message 100, where each id answers by `answer`. */
async function search(
  answer: (id: number) => Answer,
  arrange: (seen: ReturnType<typeof createSeenIds>) => void = () => undefined,
): Promise<{ found: FoundSent; probed: number[] }> {
  const seen = seenEverything()
  arrange(seen)
  const probed: number[] = []
  const finder = telegramFindSent(
    seen,
    (_part, id) => {
      probed.push(id)
      return Promise.resolve(answer(id))
    },
    () => 0,
  )
  finder.ended(part.deliveryId)
  return { found: await finder.find(part, '100', [], never), probed }
}

it('finds the message that has this text already', async () => {
  const { found, probed } = await search((id) => (id === 103 ? SAME : id === 101 ? NOT_OURS : NOT_FOUND))
  expect([found, probed]).toEqual([{ found: 'delivered', messageId: '103' }, [101, 102, 103]])
})

it('takes a changed message for delivered too: the text is shown', async () => {
  expect((await search(() => ({ ok: true, result: {} }))).found).toEqual({ found: 'delivered', messageId: '101' })
})

it('is sure of absence after 64 ids, when none higher was known', async () => {
  const { found, probed } = await search(() => NOT_FOUND)
  expect([found, probed.length, probed.at(-1)]).toEqual([{ found: 'absent' }, 64, 164])
})

it('cannot tell when more messages went by than it may ask for', async () => {
  const { found, probed } = await search(
    () => NOT_FOUND,
    (seen) => seen.see('43', 365),
  )
  expect([found.found, probed.length]).toEqual(['undecided', 256])
})

it('does not touch messages known to be others, in whichever chat of the same counter', async () => {
  const { found, probed } = await search(
    (id) => (id === 104 ? SAME : NOT_FOUND),
    (seen) => {
      seen.see('42', 101)
      seen.see('-5', 103)
      seen.see('-1005', 102) // a supergroup counts for itself
    },
  )
  expect([found, probed]).toEqual([{ found: 'delivered', messageId: '104' }, [102, 104]])
})

it('ends at a message of ours that was begun after everything had settled', async () => {
  const { found, probed } = await search(
    () => NOT_FOUND,
    (seen) => {
      seen.see('43', 102, 2_999)
      seen.see('43', 104, 3_000)
    },
  )
  expect([found, probed]).toEqual([{ found: 'absent' }, [101, 103]])
})

it.each<[Answer, FoundSent]>([
  [refused(429, 'Too Many Requests', 9_000), { found: 'later', afterMs: 9_000 }],
  [refused(502, 'Bad Gateway'), { found: 'later', afterMs: 5_000 }],
  [
    { ok: false, failure: { kind: 'unsent', detail: 'ECONNREFUSED' } },
    { found: 'later', afterMs: 5_000 },
  ],
  [
    { ok: false, failure: { kind: 'unanswered', detail: 'ECONNRESET' } },
    { found: 'later', afterMs: 5_000 },
  ],
  [refused(403, 'Forbidden: bot was blocked by the user'), expectUndecided('Forbidden: bot was blocked by the user')],
  [refused(400, "Bad Request: can't parse entities"), expectUndecided("Bad Request: can't parse entities")],
])('does not conclude anything from %j', async (answer, found) => {
  expect((await search(() => answer)).found).toEqual(found)
})
function expectUndecided(detail: string): FoundSent {
  return { found: 'undecided', detail }
}

it('goes on where it was told to wait', async () => {
  const probed: number[] = []
  let wait = true
  const finder = telegramFindSent(
    seenEverything(),
    (_part, id) => {
      probed.push(id)
      if (id === 150 && wait) return Promise.resolve(refused(429, 'Too Many Requests', 1_000))
      return Promise.resolve(NOT_FOUND)
    },
    () => 0,
  )
  expect(await finder.find(part, '100', [], never)).toEqual({ found: 'later', afterMs: 1_000 })
  wait = false
  expect(await finder.find(part, '100', [], never)).toEqual({ found: 'absent' })
  expect(probed.length).toBe(65)
  expect(probed.slice(49, 52)).toEqual([150, 150, 151])
})

it('marks the highest id known, from memory or from the part', () => {
  const seen = createSeenIds()
  const finder = telegramFindSent(
    seen,
    () => Promise.resolve(NOT_FOUND),
    () => 0,
  )
  expect(finder.mark(part)).toBeNull()
  expect(finder.mark({ ...part, after: '12' })).toBe('12')
  seen.see('-5', 20)
  seen.see('-1005', 900)
  expect(finder.mark({ ...part, after: '12' })).toBe('20')
  expect(finder.mark({ ...part, chat: { id: '-1005', kind: 'group' } })).toBe('900')
  const file = { kind: 'file', deliveryId: 'a.2', chat, name: 'a', mime: 'b', path: '/c' } as const
  expect(finder.mark(file)).toBeNull()
})

it('asks for no id that is known to be another message', async () => {
  const probed: number[] = []
  const finder = telegramFindSent(
    seenEverything(),
    async (_part, id) => {
      probed.push(id)
      return NOT_FOUND
    },
    () => 0,
  )
  // a busy bot: 500 messages came in while nobody was there, in chats that share its counter
  const known = Array.from({ length: 500 }, (_, n) => ({
    chatId: n % 2 === 0 ? '7' : '-77',
    messageId: String(101 + n),
  }))
  const elsewhere = { chatId: '-1001', messageId: '601' }
  expect(await finder.find(part, '100', [...known, elsewhere], never)).toEqual({ found: 'absent' })
  expect(probed[0]).toBe(601)
})

it('waits until what was missed has been received, but not for ever', async () => {
  let nowMs = 0
  const seen = createSeenIds()
  const finder = telegramFindSent(
    seen,
    () => Promise.resolve(SAME),
    () => nowMs,
  )
  finder.ended(part.deliveryId)
  expect(await finder.find(part, '100', [], never)).toEqual({ found: 'later', afterMs: 1_000 })
  nowMs = 63_000
  expect(await finder.find(part, '100', [], never)).toEqual({ found: 'delivered', messageId: '101' })
})
