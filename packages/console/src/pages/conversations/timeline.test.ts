import { expect, it } from 'vitest'
import { buildTimeline } from './timeline.ts'
import type { Delivery, Message, TranscriptItem } from '../../api/gateway-api.ts'

const HOUR = 3_600_000
const formatDay = (ms: number): string => String(Math.floor(ms / (24 * HOUR)))

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
    truncated: false,
  } satisfies Delivery,
})

it('reverses the order, and starts every day', () => {
  const timeline = buildTimeline([message('c', 30 * HOUR), delivery('b', 2 * HOUR), message('a', HOUR)], formatDay)
  expect(timeline.map(({ id, startsDay }) => [id, startsDay])).toEqual([
    ['m a', true],
    ['d b', false],
    ['m c', true],
  ])
})
it('keeps a message retried on the next day in its place and day', () => {
  const timeline = buildTimeline([message('c', 3 * HOUR), delivery('b', 30 * HOUR), message('a', HOUR)], formatDay)
  expect(timeline.map(({ id, at, startsDay }) => [id, at, startsDay])).toEqual([
    ['m a', HOUR, true],
    ['d b', 3 * HOUR, false],
    ['m c', 3 * HOUR, false],
  ])
})
it('groups consecutive messages of one sender only', () => {
  const items = [
    message('e', 400_000, 'p2'),
    message('d', 300_000),
    message('c', 61_000),
    message('b', 60_000),
    delivery('a', 59_000),
  ]
  expect(buildTimeline(items, formatDay).map(({ follows }) => follows)).toEqual([false, false, true, false, false])
})
it('shows an item once that moved between pages', () => {
  const timeline = buildTimeline([message('b', 2), message('a', 1), message('a', 1)], formatDay)
  expect(timeline.map(({ id }) => id)).toEqual(['m a', 'm b'])
})

it('skips items of a newer service', () => {
  const newer: TranscriptItem[] = JSON.parse('[{ "type": "call", "call": { "id": "c" } }]')
  expect(buildTimeline([...newer, message('a', 1)], formatDay).map(({ id }) => id)).toEqual(['m a'])
})
