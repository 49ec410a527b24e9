import { expect, it } from 'vitest'
import type { DemoLine } from '../../api/gateway-api.ts'
import { applyEvent, type LiveDemo, NO_EVENTS } from './live-demo.ts'
import { advanceTour, NO_PROGRESS, type TourProgress } from './tour.ts'

const CUT = [{ switch: 'cut', id: 1, left: null }]

const pane =
  (platform: string, connected: boolean, faults: typeof CUT | [] = [], code: 'scanned' | null = null) =>
  (live: LiveDemo) =>
    applyEvent(live, { type: 'pane', platform, bot: 'Gatepost', connected, code, faults })
const said =
  (platform: string, ...lines: readonly (readonly [by: DemoLine['by'], text: string])[]) =>
  (live: LiveDemo) =>
    applyEvent(live, {
      type: 'chat',
      platform,
      chat: 'ann',
      typing: false,
      ids: lines.map((_, index) => String(index)),
      lines: lines.map(([by, text], index) => ({
        id: String(index),
        by,
        name: '',
        at: 0,
        text,
        blocks: [],
        unfinished: false,
        edited: false,
        files: [],
        way: null,
      })),
    })

/** The completed steps after each state. */
function walk(...steps: readonly ((live: LiveDemo) => LiveDemo)[]): readonly string[] {
  let live = NO_EVENTS
  let progress: TourProgress = NO_PROGRESS
  return steps.map((step) => {
    live = step(live)
    progress = advanceTour(progress, live, 3)
    return progress.done.join(' ')
  })
}

it('goes through the five steps', () => {
  expect(
    walk(
      pane('telegram', true),
      pane('weixin', false, [], 'scanned'),
      said('telegram', ['person', 'stream']),
      said('telegram', ['person', 'stream'], ['bot', 'How']),
      said('telegram', ['person', 'stream'], ['bot', 'How an answer']),
      pane('telegram', false, CUT),
      said('telegram', ['person', 'stream'], ['bot', 'How an answer'], ['person', 'there?']),
      pane('telegram', true),
      said('telegram', ['person', 'stream'], ['bot', 'How an answer'], ['person', 'there?'], ['bot', 'Yes']),
    ),
  ).toEqual([
    '',
    'connect',
    'connect say',
    'connect say',
    'connect say stream',
    'connect say stream',
    'connect say stream cut',
    'connect say stream cut',
    'connect say stream cut back',
  ])
})

it('completes steps in any order, keeps them, and needs no scan if everything is connected', () => {
  expect(
    walk(
      pane('discord', false, CUT),
      said('discord', ['person', 'hello']),
      pane('weixin', true),
      said('telegram', ['person', 'hello'], ['bot', 'Hello!']),
      pane('discord', true),
      said('discord', ['person', 'hello'], ['bot', 'Hello!']),
      pane('telegram', true),
      pane('weixin', false),
    ),
  ).toEqual([
    '',
    'say cut',
    'say cut',
    'say cut',
    'say cut',
    'say cut back',
    'connect say cut back',
    'connect say cut back',
  ])
})

it('keeps unchanged messages in order, and drops removed ones', () => {
  const first = said('telegram', ['person', 'one'], ['bot', 'two'])(NO_EVENTS)
  const next = applyEvent(first, {
    type: 'chat',
    platform: 'telegram',
    chat: 'ann',
    typing: true,
    ids: ['1'],
    lines: [],
  })
  expect(next.chats['telegram/ann']).toMatchObject({ typing: true, lines: [{ id: '1', text: 'two' }] })
  expect(next.chats['telegram/ann']?.lines[0]).toBe(first.chats['telegram/ann']?.lines[1])
})
