import { expect, it } from 'vitest'
import { findFormatProblem, tidyValues } from './credentials.ts'
import type { Platform } from '../../../parts/platform.tsx'

const TELEGRAM = `123456789:${'A'.repeat(30)}`
const DISCORD = 'NDI0MjQyNDI.made-up.signature'
const APP_ID = 'cli_0123456789abcdef'

it.each<[why: string, platform: Platform, field: string, values: Record<string, string>, problem: string | null]>([
  ['a token', 'telegram', 'bot_token', { bot_token: ` ${TELEGRAM}\n` }, null],
  ['a token without its number', 'telegram', 'bot_token', { bot_token: 'A'.repeat(40) }, 'telegram_token'],
  ['a truncated token', 'telegram', 'bot_token', { bot_token: TELEGRAM.slice(0, -1) }, 'telegram_token'],
  ['nothing yet', 'telegram', 'bot_token', { bot_token: ' ' }, null],
  ['a space inside', 'telegram', 'bot_token', { bot_token: '1 2' }, 'blanks'],
  ['a bot id', 'wecom', 'bot_id', { bot_id: 'aibMADEUP', secret: 'x' }, null],
  ['another id', 'wecom', 'bot_id', { bot_id: 'wwMADEUP' }, 'wecom_bot_id'],
  ['swapped', 'wecom', 'bot_id', { bot_id: 'made-up', secret: 'aibMADEUP' }, 'swapped'],
  ['swapped, reported for both fields', 'wecom', 'secret', { bot_id: 'made-up', secret: 'aibMADEUP' }, 'swapped'],
  ['the id twice', 'wecom', 'secret', { bot_id: 'aibMADEUP', secret: 'aibMADEUP' }, 'wecom_secret_is_id'],
  ['a token with its scheme', 'discord', 'bot_token', { bot_token: `Bot ${DISCORD}` }, null],
  ['a client secret', 'discord', 'bot_token', { bot_token: 'abcdefghijklmnop' }, 'discord_token'],
  ['three parts without a user ID', 'discord', 'bot_token', { bot_token: 'aaaa.bbbb.cccc' }, 'discord_token'],
  ['an app id', 'feishu', 'app_id', { app_id: APP_ID }, null],
  ['another app id', 'feishu', 'app_id', { app_id: 'app' }, 'feishu_app_id'],
  ['an app id as secret', 'feishu', 'app_secret', { app_id: APP_ID, app_secret: APP_ID }, 'feishu_secret'],
  ['swapped', 'dingtalk', 'client_id', { client_id: 'made-up', client_secret: 'dingabcdefgh' }, 'swapped'],
  ['a field of a newer service', 'dingtalk', 'brand_new', { brand_new: 'anything' }, null],
])('%s', (_why, platform, field, values, problem) => {
  expect(findFormatProblem(platform, field, values)).toBe(problem)
})

it('tidies values before sending', () => {
  expect(tidyValues('discord', { bot_token: ` token=${DISCORD} app_id=1` })).toEqual({ bot_token: DISCORD })
  expect(tidyValues('wecom', { bot_id: ' aibX ', secret: '\ty\n' })).toEqual({ bot_id: 'aibX', secret: 'y' })
})
