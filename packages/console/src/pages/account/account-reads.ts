import { type QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { callAccountApi } from './account-problem.ts'
import { ApiError } from '../../api/api-error.ts'
import { accountClient } from '../../api/account-client.ts'

/** Queries of the account pages. None returns secrets: those come from actions only and are never cached. */
const QUERIES = {
  config: async () => (await callAccountApi(() => accountClient.getConfig())).data,
  /** The session with the methods used to sign in. */
  session: async () => (await callAccountApi(() => accountClient.getSession())).data,
  /** `null`: this service has no email addresses, since people only use social login. */
  emails: () => nullIfNotFound(async () => (await callAccountApi(() => accountClient.listEmails())).data),
  factors: async () => (await callAccountApi(() => accountClient.listAuthenticators())).data,
  sessions: async () => (await callAccountApi(() => accountClient.listSessions())).data,
  providers: async () => (await callAccountApi(() => accountClient.listProviders())).data,
} as const

type AccountQueryName = keyof typeof QUERIES
/** The data of a query. */
export type AccountData<N extends AccountQueryName> = Awaited<ReturnType<(typeof QUERIES)[N]>>

async function nullIfNotFound<D>(read: () => Promise<D>): Promise<D | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const accountQueryKey = (name: AccountQueryName): readonly unknown[] => ['account', name]
/** A link opened from an email changes these in another tab, so they are refetched on focus. */
const FRESH: ReadonlySet<AccountQueryName> = new Set<AccountQueryName>(['emails', 'session'])

/** Returns data of the account, cached and shared within the page. */
export function useAccountQuery<N extends AccountQueryName>(name: N, when = true): UseQueryResult<AccountData<N>> {
  return useQuery({
    queryKey: accountQueryKey(name),
    queryFn: QUERIES[name] as () => Promise<AccountData<N>>, // the query of this name
    enabled: when,
    ...(FRESH.has(name) && { staleTime: 0 }),
  })
}

/** Stores the data an action returned. */
export const setAccountQuery = <N extends AccountQueryName>(
  client: QueryClient,
  name: N,
  answer: AccountData<N>,
): void => void client.setQueryData(accountQueryKey(name), answer)

/** Refetches the data an action has changed. */
export const refreshAccountQueries = (client: QueryClient, ...names: readonly AccountQueryName[]): Promise<unknown> =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: accountQueryKey(name) })))
