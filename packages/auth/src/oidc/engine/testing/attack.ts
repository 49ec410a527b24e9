import { ORIGIN } from '../../../testing/auth-world.ts'
import type { OidcClient } from '../../clients.ts'
import { type Answered, CALLBACK, type OidcBench } from '../testing-bench.ts'

/** What the rows work on: a confidential client, a public one, and a second confidential one. */
export interface At {
  readonly bench: OidcBench
  readonly own: { readonly client: OidcClient; readonly secret: string }
  readonly open: { readonly client: OidcClient; readonly secret: string }
  readonly other: { readonly client: OidcClient; readonly secret: string }
}

/** Why, what is done, and what is observed. */
export type Row = readonly [why: string, act: (at: At) => Promise<unknown>, expected: unknown]

/** HTTP Basic of a client. */
export const basic = ({ client, secret }: At['own']): string =>
  `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`
/** Status and code of an error. */
export const statusAndError = ({ status, json }: Answered): readonly unknown[] => [status, json['error']]

/** The first answer of the authorization endpoint: a status, and where it leads. */
export async function requestAuthorization({ bench }: At, params: Record<string, string> | string): Promise<unknown> {
  const { status, location } = await bench.browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
  if (location === null || location.startsWith('/')) return [status, location === null ? null : 'a page of ours']
  const to = new URL(location)
  const { searchParams: query } = to
  return [status, `${to.origin}${to.pathname}`, query.get('error'), query.get('state'), query.get('iss')]
}

/** An error page on this site; nothing is sent to the client. */
export const refusedPage = [400, null]
/** An error goes back to the client, with its state and our issuer. */
export const toClient = (error: string): readonly unknown[] => [303, CALLBACK, error, 'a-state', ORIGIN]
