import type { PlatformIo } from '../../platform.ts'
import { type CallLimits, type Failed, failed, readUpTo, retryAfterOf, within } from './call.ts'
import type { WeixinFailure } from './outcome.ts'

export type Download =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly problem: 'too_large' }
  | Failed

export type Upload = { readonly ok: true; readonly param: string } | Failed

const UPLOAD_TRIES = 3
const PARAM_CHARACTERS = 8_192

export const downloadUrl = (cdn: string, param: string): string =>
  `${cdn}/download?encrypted_query_param=${encodeURIComponent(param)}`

export const uploadUrl = (cdn: string, param: string, fileKey: string): string =>
  `${cdn}/upload?encrypted_query_param=${encodeURIComponent(param)}&filekey=${encodeURIComponent(fileKey)}`

/** Gets a file as it lies there. Never throws. */
export function download(io: PlatformIo, url: string, maxBytes: number, limits: CallLimits): Promise<Download> {
  return within<Download>(io, limits, async (signal) => {
    const response = await io.fetch(url, { signal, redirect: 'manual' })
    if (response.status !== 200) {
      await response.body?.cancel()
      return failed(refusal(response))
    }
    const announced = Number(response.headers.get('content-length') ?? 0)
    if (announced > maxBytes) {
      await response.body?.cancel()
      return { ok: false, problem: 'too_large' }
    }
    const bytes = await readUpTo(response, maxBytes)
    return bytes === null ? { ok: false, problem: 'too_large' } : { ok: true, bytes }
  })
}

/** Puts a file there. A server that stumbles is asked again: nothing is shown by an upload. Never throws. */
export async function upload(
  io: PlatformIo,
  url: string,
  cipher: Uint8Array<ArrayBuffer>,
  limits: CallLimits,
): Promise<Upload> {
  for (let tries = 1; ; tries++) {
    const got = await uploadOnce(io, url, cipher, limits)
    const stumbled = !got.ok && got.failure.kind === 'http' && got.failure.status >= 500
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
    return failed({ kind: 'http', status: 502, detail: 'the upload was answered without x-encrypted-param' })
  })

function refusal(response: Response): WeixinFailure {
  const { status } = response
  const words =
    response.headers
      .get('x-error-message')
      ?.replace(/\p{Cc}/gu, ' ')
      .slice(0, 200) ?? ''
  const retryAfterMs = retryAfterOf(response)
  const detail = `HTTP ${status} for the file${words === '' ? '' : `: ${words}`}`
  return { kind: 'http', status, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
