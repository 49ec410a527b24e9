import type { PlatformIo } from '../../platform-io.ts'

/** Hosts of the two brands; a setting or the stored `domain` takes their place. */
export const FEISHU_API = 'https://open.feishu.cn'
export const LARK_API = 'https://open.larksuite.com'
export const FEISHU_ACCOUNTS = 'https://accounts.feishu.cn'
export const LARK_ACCOUNTS = 'https://accounts.larksuite.com'

/** Where the API is when no `domain` is stored, without a trailing slash. */
export const feishuApi = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_FEISHU_API_URL', FEISHU_API)

/** The developer console's page of an app. */
export const consolePage = (base: string, appId: string, page: string): string =>
  `${base === LARK_API ? LARK_API : FEISHU_API}/app/${appId}/${page}`
