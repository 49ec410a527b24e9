import type { Platform } from '../../../parts/platform.tsx'

/** Problems with a value's format, found without asking the platform. */
export type FormatProblem =
  | 'blanks'
  | 'telegram_token'
  | 'wecom_bot_id'
  | 'wecom_secret_is_id'
  | 'discord_token'
  | 'feishu_app_id'
  | 'feishu_secret'
  | 'swapped'

/** Values by field name. */
export type Values = Readonly<Record<string, string>>

const TELEGRAM_TOKEN = /^\d+:[\w-]{30,}$/
const WECOM_PREFIX = 'aib'
const DISCORD_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const FEISHU_APP_ID = /^cli_[0-9a-f]{16}$/i
const FEISHU_SECRET = /^[\x21-\x7e]{8,200}$/
const DINGTALK_ID = /^ding[a-z0-9]{8,32}$/
/** Shorter values are still being typed. */
const TYPED_ENOUGH = 6

/** Returns a value without surrounding spaces and text that is often copied with it. */
function tidyValue(platform: Platform, field: string, value: string): string {
  const trimmed = value.trim()
  if (platform !== 'discord' || field !== 'bot_token') return trimmed
  return (/\btoken=(\S+)/.exec(trimmed)?.[1] ?? trimmed).replace(/^Bot\s+/i, '')
}

/** Returns all values, tidied for sending. */
export const tidyValues = (platform: Platform, values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([field, value]) => [field, tidyValue(platform, field, value)]))

/** Returns the problem with a value's format; `null` if there is none or the value is empty. */
export function findFormatProblem(platform: Platform, field: string, values: Values): FormatProblem | null {
  const value = tidyValue(platform, field, values[field] ?? '')
  if (value === '') return null
  if (isSwapped(platform, tidyValues(platform, values))) return 'swapped'
  if (/\s/.test(value)) return 'blanks'
  return FORMS[`${platform}.${field}`]?.(value) ?? null
}

/** Reports whether a value is too short to judge yet. */
export const isBeingTyped = (value: string): boolean => value.trim().length < TYPED_ENOUGH

const FORMS: Readonly<Record<string, ((value: string) => FormatProblem | null) | undefined>> = {
  'telegram.bot_token': (value) => (TELEGRAM_TOKEN.test(value) ? null : 'telegram_token'),
  'wecom.bot_id': (value) => (value.startsWith(WECOM_PREFIX) ? null : 'wecom_bot_id'),
  'wecom.secret': (value) => (value.startsWith(WECOM_PREFIX) ? 'wecom_secret_is_id' : null),
  'discord.bot_token': (value) => (DISCORD_TOKEN.test(value) && hasUserId(value) ? null : 'discord_token'),
  'feishu.app_id': (value) => (FEISHU_APP_ID.test(value) ? null : 'feishu_app_id'),
  'feishu.app_secret': (value) => (FEISHU_SECRET.test(value) && !FEISHU_APP_ID.test(value) ? null : 'feishu_secret'),
}

/** Pairs of fields that are easily swapped. */
export const PAIRS: Readonly<Partial<Record<Platform, readonly [id: string, secret: string]>>> = {
  wecom: ['bot_id', 'secret'],
  feishu: ['app_id', 'app_secret'],
  dingtalk: ['client_id', 'client_secret'],
}

const IS_ID: Readonly<Partial<Record<Platform, (value: string) => boolean>>> = {
  wecom: (value) => value.startsWith(WECOM_PREFIX),
  feishu: (value) => FEISHU_APP_ID.test(value),
  dingtalk: (value) => DINGTALK_ID.test(value),
}

/** Reports whether the ID was entered as the secret and vice versa. */
function isSwapped(platform: Platform, values: Values): boolean {
  const pair = PAIRS[platform]
  const isId = IS_ID[platform]
  if (pair === undefined || isId === undefined) return false
  const [id = '', secret = ''] = pair.map((name) => values[name] ?? '')
  return id !== '' && !isId(id) && isId(secret)
}

/** Reports whether a token starts with a bot's user ID. @see Discord, "Authentication" */
function hasUserId(token: string): boolean {
  const first = (token.split('.', 1)[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    return /^\d{1,20}$/.test(atob(first))
  } catch {
    return false // not base64: not a token
  }
}
