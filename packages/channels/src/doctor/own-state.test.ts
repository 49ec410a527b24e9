import { expect, it } from 'vitest'
import type { ChannelDetails, KnownUser } from '../channels.ts'
import { manualClock } from '../testing/clock.ts'
import { fakePlatform } from '../testing/fake-platform.ts'
import { runOwnChecks } from './own-state.ts'

const NOW = 1_800_000_000_000
const DETAILS: ChannelDetails = {
  platform: 'telegram',
  enabled: true,
  running: true,
  has_config: true,
  state: 'running',
  reason: null,
  message: null,
  since: NOW - 60_000,
  bot: { id: '1', name: 'Bot' },
  retry_at: null,
  group_policy: 'allowed',
  secrets: {},
  last_heard_at: NOW - 2_000,
  last_inbound_at: NOW - 3_000,
  last_delivered_at: null,
  gaps: [],
  send_budget: null,
  queued: 0,
  dead: 0,
}
const ANN: KnownUser = {
  user_id: '7',
  name: 'Ann',
  username: null,
  last_seen_at: NOW,
  reachable: true,
  reason: null,
  reason_code: null,
  sends_left: null,
  allowed: true,
}
const GAP = { from: NOW - 7_200_000, to: NOW - 3_600_000, why: 'nobody listened', reason_code: null, values: {} }

const cases: readonly [
  why: string,
  details: Partial<ChannelDetails>,
  users: readonly KnownUser[],
  id: string,
  found: Readonly<Record<string, unknown>>,
][] = [
  ['receives', {}, [ANN], 'channel_running', { status: 'pass', at: NOW - 60_000 }],
  [
    'is disabled',
    { enabled: false, running: false, state: 'stopped' },
    [],
    'channel_running',
    { status: 'fail', remedy: 'Run: npx gatepost enable telegram', fix: { kind: 'enable' } },
  ],
  [
    'lacks a scope',
    { state: 'degraded', message: 'A scope is missing.' },
    [ANN],
    'channel_running',
    { status: 'warn', detail: 'A scope is missing.' },
  ],
  [
    'was rejected',
    { running: false, state: 'rejected', message: 'Unauthorized' },
    [],
    'channel_running',
    { status: 'fail', detail: 'Unauthorized', remedy: 'Run: npx gatepost setup telegram', fix: { kind: 'set_up' } },
  ],
  [
    'was taken over',
    { running: false, state: 'stopped', reason: 'taken_over', message: 'Taken over.' },
    [],
    'channel_running',
    { status: 'fail', remedy: expect.stringContaining('npx gatepost enable telegram'), fix: { kind: 'enable' } },
  ],
  ['is heard', {}, [ANN], 'last_heard', { status: 'pass', at: NOW - 2_000 }],
  [
    'has fallen silent',
    { last_heard_at: NOW - 301_000 },
    [ANN],
    'last_heard',
    { status: 'warn', fix: { kind: 'restart' } },
  ],
  [
    'missed something lately',
    { gaps: [GAP] },
    [ANN],
    'no_gaps',
    { status: 'warn', detail: expect.stringContaining('nobody listened') },
  ],
  ['missed something long ago', { gaps: [{ ...GAP, to: NOW - 25 * 3_600_000 }] }, [ANN], 'no_gaps', { status: 'pass' }],
  [
    'could not deliver',
    { dead: 3 },
    [ANN],
    'deliveries',
    { status: 'warn', remedy: 'Run: npx gatepost deliveries telegram --dead', fix: { kind: 'dead_letters' } },
  ],
  ['is known to nobody', {}, [], 'send_window', { status: 'warn' }],
  [
    'reaches somebody',
    {},
    [{ ...ANN, sends_left: 4 }],
    'send_window',
    { status: 'pass', detail: '1 of 1 known users are reachable. Each has at least 4 sends left.' },
  ],
  [
    'reaches nobody',
    {},
    [{ ...ANN, reachable: false, reason: 'must write first' }],
    'send_window',
    { status: 'warn', detail: expect.stringContaining('must write first') },
  ],
]
it.each(cases)('a channel that %s', (_why, details, users, id, found) => {
  const { platform } = fakePlatform(manualClock(NOW))
  const checks = runOwnChecks({
    platform: { ...platform, id: 'telegram' },
    details: { ...DETAILS, ...details },
    users,
    nowMs: NOW,
  })
  expect(checks.find((check) => check.id === id)).toMatchObject(found)
  expect(checks.filter(({ status, remedy }) => status === 'fail' && remedy === undefined)).toEqual([])
})
