import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { CredentialSchema } from '../../platform.ts'
import type { PlatformIo } from '../../platform-io.ts'
import { baseUrl } from '../wire/urls.ts'

/** Credentials of a Weixin bot. */
export interface WeixinCredentials {
  /** What the sign-in calls `bot_token`. */
  readonly token: string
  /** Where the sign-in says that this bot lives, without a trailing slash; absent: the configured host. */
  readonly base_url?: string
  readonly ilink_bot_id?: string
  /** The person who scanned the code. */
  readonly ilink_user_id?: string
}

/** No form is documented; what a header can carry. */
const TOKEN = /^[\x21-\x7e]{8,4096}$/
/** Printable, and one segment of a bot's name. */
const ID = /^[\x21-\x2e\x30-\x7e]{1,200}$/

const idNamed = (name: string) =>
  z
    .string()
    .trim()
    .regex(ID, { error: `${name} must be printable characters without a slash.` })

/** Schema of Weixin credentials. */
export const weixinCredentials: CredentialSchema<WeixinCredentials> = {
  schema: z.strictObject({
    token: z.string().trim().regex(TOKEN, {
      error: 'token must be the value from the QR code sign-in: 8 or more characters without spaces.',
    }),
    base_url: z.exactOptional(baseUrl()),
    ilink_bot_id: z.exactOptional(idNamed('ilink_bot_id')),
    ilink_user_id: z.exactOptional(idNamed('ilink_user_id')),
  }),
  secrets: ['token'],
  // The ids say whose token it is: those of an earlier one must not stay with a new one.
  bound: ['base_url', 'ilink_bot_id', 'ilink_user_id'],
}

/** Returns whether the text can be stored as one of the two ids. */
export const isId = (value: string | undefined): value is string => value !== undefined && ID.test(value)

/** The bot's id, which outlives a sign-in; of a token that came alone, a part of its hash. */
export const weixinIdentity = ({ ilink_bot_id: botId, token }: WeixinCredentials): string =>
  botId ?? `token-${createHash('sha256').update(token).digest('hex').slice(0, 16)}`

/** Log-in and API before a sign-in, without a trailing slash. */
export const weixinApiUrl = (io: Pick<PlatformIo, 'host'>): string =>
  io.host('GATEPOST_WEIXIN_API_URL', 'https://ilinkai.weixin.qq.com')

/** Where this bot's requests go, without a trailing slash. */
export const weixinBaseUrl = (credentials: WeixinCredentials | null, io: Pick<PlatformIo, 'host'>): string =>
  credentials?.base_url ?? weixinApiUrl(io)

/** Where files lie, without a trailing slash. */
export const weixinCdnUrl = (io: Pick<PlatformIo, 'host'>): string =>
  io.host('GATEPOST_WEIXIN_CDN_URL', 'https://novac2c.cdn.weixin.qq.com/c2c')

/** Returns the platform's own fields of a channel entry. */
export const describeWeixin = (
  credentials: WeixinCredentials | null,
  io: Pick<PlatformIo, 'host'>,
): Readonly<Record<string, unknown>> => ({
  has_token: credentials !== null,
  base_url: weixinBaseUrl(credentials, io),
})
