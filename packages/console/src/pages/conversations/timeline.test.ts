import { expect, it } from 'vitest'
import { buildTimeline } from './timeline.ts'
import type { Delivery, Message, TranscriptItem } from '../../api/gateway-api.ts'

const HOUR = 3_600_000
const dayOf = (ms: number): string => String(Math.floor(ms / (24 * HOUR)))

const message = (id: string, received_at: number, user_id = 'p1'): TranscriptItem => ({
  type: 'message',
  message: {
    id,
    conversation_id: 'c1',
    chat: { id: 'c', kind: 'direct', title: null },
    from: { user_id, name: null },
    text: id,
    files: [],
    sent_at: received_at,
    received_at,
    state: 'answered',
    reason: null,
  } satisfies Message,
})
const delivery = (id: string, created_at: number): TranscriptItem => ({
  type: 'delivery',
  delivery: {
    id,
    kind: 'reply',
    conversation_id: 'c1',
    chat_id: 'c',
    user_id: 'p1',
    text: id,
    file: null,
    state: 'delivered',
    attempts: 1,
    created_at,
    updated_at: created_at,
    platform_message_id: null,
    code: null,
    reason: null,
    dead: false,
  } satisfies Delivery,
})

it('turns what is newest first around, and begins every day', () => {
  const said = buildTimeline([message('c', 30 * HOUR), delivery('b', 2 * HOUR), message('a', HOUR)], dayOf)
  expect(said.map(({ id, startsDay }) => [id, startsDay])).toEqual([
    ['m a', true],
    ['d b', false],
    ['m c', true],
  ])
})
it('leaves what was sent again on the next day in its place and on its day', () => {
  const said = buildTimeline([message('c', 3 * HOUR), delivery('b', 30 * HOUR), message('a', HOUR)], dayOf)
  expect(said.map(({ id, at, startsDay }) => [id, at, startsDay])).toEqual([
    ['m a', HOUR, true],
    ['d b', 3 * HOUR, false],
    ['m c', 3 * HOUR, false],
  ])
})
it('puts together what one person writes at once, and nothing else', () => {
  const items = [
    message('e', 400_000, 'p2'),
    message('d', 300_000),
    message('c', 61_000),
    message('b', 60_000),
    delivery('a', 59_000),
  ]
  expect(buildTimeline(items, dayOf).map(({ follows }) => follows)).toEqual([false, false, true, false, false])
})
it('shows once what slipped from one page to the next', () => {
  const said = buildTimeline([message('b', 2), message('a', 1), message('a', 1)], dayOf)
  expect(said.map(({ id }) => id)).toEqual(['m a', 'm b'])
})

it('passes over what a newer service tells of', () => {
  const newer: TranscriptItem[] = JSON.parse('[{ "type": "call", "call": { "id": "c" } }]')
  expect(buildTimeline([...newer, message('a', 1)], dayOf).map(({ id }) => id)).toEqual(['m a'])
})
