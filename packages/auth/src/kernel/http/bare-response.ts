import type { ConnectedKernel } from '../module.ts'
import { ImmediateResponse } from '../../errors.ts'
import { toFailure } from './failure.ts'
import { readOwnBody, ownResponse } from './own-response.ts'
import { BARE_HEADERS } from './page-headers.ts'

/** An answer outside the frame of a page, closed to caches. */
export function bareResponse(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of BARE_HEADERS) if (!headers.has(name)) headers.set(name, value)
  return new Response(readOwnBody(response), { status: response.status, headers })
}

/** One line of text for an error where no page can be made: the session, a hook, or the page of an error has failed. */
export async function bareError(kernel: ConnectedKernel, raw: Request, error: unknown): Promise<Response> {
  if (error instanceof ImmediateResponse) return bareResponse(error.response)
  const { status, message, headers, isLogged } = toFailure(error)
  if (isLogged) kernel.log.error('No page could be made', { error })
  const language = kernel.translations.negotiate(raw.headers.get('accept-language'))
  await kernel.translations.load(language)
  const body = raw.method === 'HEAD' ? null : kernel.translations.translator(language)(message)
  return bareResponse(
    ownResponse(body, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } }),
  )
}
