import { expect, it } from 'vitest'
import { type Channel, cureOf, standingOf } from './standing.ts'
import { reasonWords } from './state-texts.ts'

type Seen = Pick<Channel, 'has_config' | 'enabled' | 'state' | 'reason'>
const seen = (state: string, others: Partial<Seen> = {}): Seen => ({
  has_config: true,
  enabled: true,
  reason: null,
  ...others,
  state: state as Seen['state'], // also one that the page does not know yet
})

it.each<[why: string, channel: Seen, standing: string, cure: string | null]>([
  ['nothing stored', seen('stopped', { has_config: false }), 'absent', null],
  ['switched off', seen('stopped', { enabled: false }), 'off', null],
  ['switched off while it ends', seen('running', { enabled: false }), 'off', null],
  ['running', seen('running'), 'running', null],
  ['rejected', seen('rejected', { reason: 'credentials_rejected' }), 'rejected', 'set_up'],
  ['stopped by another program', seen('stopped', { reason: 'taken_over' }), 'stopped', 'restart'],
  ['unreadable credentials', seen('stopped', { reason: 'credentials_invalid' }), 'stopped', 'set_up'],
  ['no network', seen('backing_off', { reason: 'network' }), 'backing_off', null],
  ['a setting is missing', seen('degraded', { reason: 'configuration' }), 'degraded', 'doctor'],
  ['a state of a newer service', seen('hibernating'), 'strange', null],
])('%s', (_why, channel, standing, cure) => {
  expect([standingOf(channel), cureOf(channel)]).toEqual([standing, cure])
})

it('says codes in words, the platform’s own before the common ones, and unknown ones as the service does', () => {
  const of = { platform: 'discord', standing: 'degraded', message: 'A sentence.' } as const
  expect(reasonWords({ ...of, reason: 'configuration' }, 'Discord', 'en').what).toContain('MESSAGE CONTENT INTENT')
  expect(reasonWords({ ...of, platform: 'feishu', reason: 'configuration' }, '飞书', 'zh').what).toContain('飞书')
  expect(reasonWords({ ...of, reason: 'brand_new' }, 'Discord', 'zh').what).toBe('A sentence.')
  expect(reasonWords({ ...of, standing: 'strange', reason: null, message: null }, 'Discord', 'zh').what).toBe(
    '未知状态',
  )
})
