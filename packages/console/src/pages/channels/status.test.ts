import { expect, it } from 'vitest'
import { findRemedy, channelStatus, statusMessage, type Channel } from './status.ts'

type Seen = Pick<Channel, 'has_config' | 'enabled' | 'state' | 'reason'>
const seen = (state: string, others: Partial<Seen> = {}): Seen => ({
  has_config: true,
  enabled: true,
  reason: null,
  ...others,
  state: state as Seen['state'], // may be unknown to the page
})

it.each<[why: string, channel: Seen, status: string, remedy: string | null]>([
  ['nothing stored', seen('stopped', { has_config: false }), 'absent', null],
  ['disabled', seen('stopped', { enabled: false }), 'off', null],
  ['disabled while it is stopping', seen('running', { enabled: false }), 'off', null],
  ['running', seen('running'), 'running', null],
  ['rejected', seen('rejected', { reason: 'credentials_rejected' }), 'rejected', 'set_up'],
  ['stopped by another program', seen('stopped', { reason: 'taken_over' }), 'stopped', 'restart'],
  ['unreadable credentials', seen('stopped', { reason: 'credentials_invalid' }), 'stopped', 'set_up'],
  ['no network', seen('backing_off', { reason: 'network' }), 'backing_off', null],
  ['a setting is missing', seen('degraded', { reason: 'configuration' }), 'degraded', 'doctor'],
  ['an unknown state', seen('hibernating'), 'unknown', null],
])('%s', (_why, channel, status, remedy) => {
  expect([channelStatus(channel), findRemedy(channel)]).toEqual([status, remedy])
})

it("explains codes, platform-specific ones first, and keeps the service's message for unknown ones", () => {
  const of = { platform: 'discord', status: 'degraded', message: 'A sentence.' } as const
  expect(statusMessage({ ...of, reason: 'configuration' }, 'Discord', 'en').what).toContain('MESSAGE CONTENT INTENT')
  expect(statusMessage({ ...of, platform: 'feishu', reason: 'configuration' }, '飞书', 'zh').what).toContain('飞书')
  expect(statusMessage({ ...of, reason: 'brand_new' }, 'Discord', 'zh').what).toBe('A sentence.')
  expect(statusMessage({ ...of, status: 'unknown', reason: null, message: null }, 'Discord', 'zh').what).toBe(
    '未知状态',
  )
})
