import type { PlatformIo } from '../../platform-io.ts'
import { retryAfterOf } from '../wire/body.ts'
import { type Failed, failed, within } from '../wire/call.ts'
import { hiding } from '../wire/hide.ts'
import type { CallLimits } from '../wire/time-limit.ts'
import type { WeixinFailure } from './outcome.ts'

export type Upload = { readonly ok: true; readonly param: string } | Failed<WeixinFailure>

const UPLOAD_TRIES = 3
const PARAM_CHARACTERS = 8_192

export const downloadUrl = (cdn: string, param: string): string =>
  `${cdn}/download?encrypted_query_param=${encodeURIComponent(param)}`

export const uploadUrl = (cdn: string, param: string, fileKey: string): string =>
  `${cdn}/upload?encrypted_query_param=${encodeURIComponent(param)}&filekey=${encodeURIComponent(fileKey)}`

/** Puts a file there. A server that stumbles is asked again: nothing is shown by an upload. Never throws. */
export async function upload(
  io: PlatformIo,
  url: string,
  cipher: Uint8Array<ArrayBuffer>,
  limits: CallLimits,
): Promise<Upload> {
  for (let tries = 1; ; tries++) {
    const got = await uploadOnce(io, url, cipher, limits)
    const stumbled = !got.ok && got.failure.kind === 'foreign' && got.failure.status >= 500
    if (!stumbled || tries === UPLOAD_TRIES) return got
  }
}

const uploadOnce = (
  io: PlatformIo,
  url: string,
  cipher: Uint8Array<ArrayBuffer>,
  limits: CallLimits,
): Promise<Upload> =>
  within<Upload>(io, limits, async (signal) => {
    const headers = { 'Content-Type': 'application/octet-stream' }
    const response = await io.fetch(url, { method: 'POST', headers, body: cipher, signal, redirect: 'manual' })
    await response.body?.cancel()
    if (response.status !== 200) return failed(refusal(response))
    const param = response.headers.get('x-encrypted-param') ?? ''
    if (param !== '' && param.length <= PARAM_CHARACTERS) return { ok: true, param }
    return failed({ kind: 'foreign', status: 502, detail: 'the upload was answered without x-encrypted-param' })
  })

function refusal(response: Response): WeixinFailure {
  const { status } = response
  const words = hiding()(response.headers.get('x-error-message') ?? '')
  const retryAfterMs = retryAfterOf(response)
  const detail = `HTTP ${status} for the file${words === '' ? '' : `: ${words}`}`
  return { kind: 'foreign', status, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
