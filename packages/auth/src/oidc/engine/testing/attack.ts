import { ORIGIN } from '../../../testing/auth-world.ts'
import type { OidcClient } from '../../clients.ts'
import { type Answered, CALLBACK, type OidcBench } from '../testing-bench.ts'

/** The subjects of an attack: a confidential client, a public one, and a second confidential one. */
export interface At {
  readonly bench: OidcBench
  readonly own: { readonly client: OidcClient; readonly secret: string }
  readonly open: { readonly client: OidcClient; readonly secret: string }
  readonly other: { readonly client: OidcClient; readonly secret: string }
}

/** A title, the attack, and the expected result. */
export type Row = readonly [why: string, act: (at: At) => Promise<unknown>, expected: unknown]

/** Returns a client's HTTP Basic credentials. */
export const basic = ({ client, secret }: At['own']): string =>
  `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`
/** Returns the status and error code of a response. */
export const statusAndError = ({ status, json }: Answered): readonly unknown[] => [status, json['error']]

/** Returns the authorization endpoint's first response: its status and redirect target. */
export async function requestAuthorization({ bench }: At, params: Record<string, string> | string): Promise<unknown> {
  const { status, location } = await bench.browser.get(`/identity/o/authorize?${String(new URLSearchParams(params))}`)
  if (location === null || location.startsWith('/')) return [status, location === null ? null : 'a page of ours']
  const to = new URL(location)
  const { searchParams: query } = to
  return [status, `${to.origin}${to.pathname}`, query.get('error'), query.get('state'), query.get('iss')]
}

/** The result for an error page on this site, where nothing is sent to the client. */
export const refusedPage = [400, null]
/** The result for an error that's sent to the client, with its state and our issuer. */
export const toClient = (error: string): readonly unknown[] => [303, CALLBACK, error, 'a-state', ORIGIN]
