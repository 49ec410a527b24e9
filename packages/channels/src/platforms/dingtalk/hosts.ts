import type { PlatformIo } from '../../platform-io.ts'
import { checkedUrl } from '../wire/server-url.ts'

const API = 'https://api.dingtalk.com'
const OAPI = 'https://oapi.dingtalk.com'

/** Base URL of the new API, without a trailing slash. */
export const apiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_API_URL', API)

/** Base URL of the old API: uploads, session webhooks, registration. */
export const oapiUrl = (io: Pick<PlatformIo, 'host'>): string => io.host('GATEPOST_DINGTALK_OAPI_URL', OAPI)

type Purpose = 'socket' | 'webhook' | 'file' | 'page'

/**
 * A URL that the platform handed out, or `null` when it is not one that may be asked. Sockets, webhooks and pages stay at
 * the vendor; files lie at a storage service whose names vary.
 * @param base The configured host that the URL came from.
 */
export const namedUrl = (raw: unknown, purpose: Purpose, base: string): URL | null =>
  checkedUrl(raw, purpose === 'socket' ? 'socket' : 'web', {
    configured: base,
    domains: purpose === 'file' ? [] : ['dingtalk.com'],
  })
