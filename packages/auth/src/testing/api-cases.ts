import { testDatabases } from '@gatepost/sql/testing'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import type { ApiAnswered } from './api-visitor.ts'

type OpenDatabase = (typeof testDatabases)[number][1]

/** Both clients on both databases, for `describe.each`: a name, the client, and a function that opens the database. */
export const everywhere: readonly (readonly [name: string, client: ApiClient, open: OpenDatabase])[] =
  testDatabases.flatMap(([database, open]) =>
    (['app', 'browser'] as const).map((client) => [`${client} on ${database}`, client, open] as const),
  )

/** Returns the status and the errors, as `code` or `code param`, in order. */
export function statusAndErrors({ status, body }: ApiAnswered): readonly [status: number, ...errors: string[]] {
  const shown = body as { errors?: { code: string; param?: string }[] } | null // the test's expectation checks the type
  return [status, ...(shown?.errors ?? []).map(({ code, param }) => (param === undefined ? code : `${code} ${param}`))]
}

/** Returns the status and the pending flows. */
export function statusAndPendingFlows({ status, body }: ApiAnswered): readonly [status: number, ...pending: string[]] {
  const shown = body as { data?: { flows?: { id: string; is_pending?: boolean }[] } } | null // as above
  return [status, ...(shown?.data?.flows ?? []).filter((flow) => flow.is_pending === true).map(({ id }) => id)]
}

/**
 * Returns everything in a response that could reveal whether an account exists. Replaces random tokens with their
 * names.
 */
export function observableResponse({ status, body, headers }: ApiAnswered): unknown {
  const shown: unknown = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'session_token' ? 'token' : value)),
  )
  const others = [...headers].filter(([name]) => name !== 'set-cookie')
  const cookies = headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''))
  return { status, shown, headers: others, cookies }
}
