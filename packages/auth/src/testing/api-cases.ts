import { testDatabases } from '@gatepost/sql/testing'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import type { ApiAnswered } from './api-visitor.ts'

type OpenDatabase = (typeof testDatabases)[number][1]

/** Both clients on both databases, for `describe.each`: a name, the client, what opens the database. */
export const everywhere: readonly (readonly [name: string, client: ApiClient, open: OpenDatabase])[] =
  testDatabases.flatMap(([database, open]) =>
    (['app', 'browser'] as const).map((client) => [`${client} on ${database}`, client, open] as const),
  )

/** Status and errors as `code` or `code param`, in their order. */
export function statusAndErrors({ status, body }: ApiAnswered): readonly [status: number, ...errors: string[]] {
  const shown = body as { errors?: { code: string; param?: string }[] } | null // a test says by what it expects
  return [status, ...(shown?.errors ?? []).map(({ code, param }) => (param === undefined ? code : `${code} ${param}`))]
}

/** Status and the flows that wait. */
export function statusAndPendingFlows({ status, body }: ApiAnswered): readonly [status: number, ...pending: string[]] {
  const shown = body as { data?: { flows?: { id: string; is_pending?: boolean }[] } } | null // as above
  return [status, ...(shown?.data?.flows ?? []).filter((flow) => flow.is_pending === true).map(({ id }) => id)]
}

/** Everything of an answer that somebody could tell accounts by; made-up tokens stand as their names. */
export function observableResponse({ status, body, headers }: ApiAnswered): unknown {
  const shown: unknown = JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key === 'session_token' ? 'token' : value)),
  )
  const others = [...headers].filter(([name]) => name !== 'set-cookie')
  const cookies = headers.getSetCookie().map((line) => line.replace(/=[^;]*/, ''))
  return { status, shown, headers: others, cookies }
}
