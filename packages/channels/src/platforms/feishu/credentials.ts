import { z } from 'zod'
import type { PlatformIo } from '../../platform-io.ts'
import type { CredentialSchema } from '../../platform.ts'
import { baseUrl } from '../wire/urls.ts'

/** Credentials of a Feishu or Lark app. */
export interface FeishuCredentials {
  readonly app_id: string
  readonly app_secret: string
  /** Where the API is, without a trailing slash; absent: Feishu, or as the setting says. */
  readonly domain?: string
}

/** Feishu gives no others. */
const APP_ID = /^cli_[0-9a-f]{16}$/i

const EXAMPLES = ': https://open.feishu.cn, or https://open.larksuite.com for Lark'

/** Schema of Feishu credentials. */
export const feishuCredentials: CredentialSchema<FeishuCredentials> = {
  schema: z.strictObject({
    app_id: z.string({ error: 'app_id is missing.' }).trim().regex(APP_ID, {
      error: 'app_id must be cli_ and 16 hexadecimal digits, as shown under Credentials in the developer console.',
    }),
    app_secret: z
      .string({ error: 'app_secret is missing.' })
      .trim()
      .regex(/^[\x21-\x7e]{8,200}$/, {
        error: 'app_secret must be the App Secret shown under Credentials in the developer console.',
      })
      .refine((value) => !APP_ID.test(value), { error: 'app_secret contains an App ID. The two look swapped.' }),
    domain: z.exactOptional(baseUrl('domain', EXAMPLES)),
  }),
  secrets: ['app_secret'],
  bound: ['app_id', 'domain'],
}

/** Which bot these credentials speak for: an app has one. */
export const feishuIdentity = (credentials: FeishuCredentials): string => credentials.app_id

/** Where this app's requests go, without a trailing slash. */
export const feishuBaseUrl = (credentials: FeishuCredentials | null, io: Pick<PlatformIo, 'host'>): string =>
  credentials?.domain ?? feishuApi(io)

/** The platform's own fields of a channel entry. */
export const describeFeishu = (
  credentials: FeishuCredentials | null,
  io: Pick<PlatformIo, 'host'>,
): Readonly<Record<string, unknown>> => ({
  app_id: credentials?.app_id ?? '',
  domain: credentials === null ? '' : feishuBaseUrl(credentials, io),
})

/** Hosts of the two brands; a setting or the stored `domain` takes their place. */
export const FEISHU_API = 'https://open.feishu.cn'
/** Base URL of Lark's API. */
export const LARK_API = 'https://open.larksuite.com'
/** Base URL of Feishu's accounts server. */
export const FEISHU_ACCOUNTS = 'https://accounts.feishu.cn'
/** Base URL of Lark's accounts server. */
export const LARK_ACCOUNTS = 'https://accounts.larksuite.com'

/** Where the API is when no `domain` is stored, without a trailing slash. */
export const feishuApi = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_FEISHU_API_URL', FEISHU_API)

/** The developer console's page of an app. */
export const consolePage = (base: string, appId: string, page: string): string =>
  `${base === LARK_API ? LARK_API : FEISHU_API}/app/${appId}/${page}`
