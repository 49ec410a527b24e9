import { type QueryClient, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { ask } from './account-problem.ts'
import { ApiError } from '../../api/api-error.ts'
import { accountClient } from '../../api/account-client.ts'

/** What the pages of the account read. None of it is a secret: secrets are answered to acts alone, and kept nowhere. */
const READS = {
  config: async () => (await ask(() => accountClient.getConfig())).data,
  /** Who is signed in, and how they have proved it. */
  session: async () => (await ask(() => accountClient.getSession())).data,
  /** `null`: this service keeps no addresses, people sign in elsewhere alone. */
  emails: () => unlessAbsent(async () => (await ask(() => accountClient.listEmails())).data),
  factors: async () => (await ask(() => accountClient.listAuthenticators())).data,
  sessions: async () => (await ask(() => accountClient.listSessions())).data,
  providers: async () => (await ask(() => accountClient.listProviders())).data,
} as const

type ReadName = keyof typeof READS
/** What a read answers. */
export type Read<N extends ReadName> = Awaited<ReturnType<(typeof READS)[N]>>

async function unlessAbsent<D>(read: () => Promise<D>): Promise<D | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const keyOf = (name: ReadName): readonly unknown[] => ['account', name]
/** A link in a mail, opened beside this page, changes these: whoever comes back sees it at once. */
const FRESH: ReadonlySet<ReadName> = new Set<ReadName>(['emails', 'session'])

/** Something of the account, kept and shared between the parts of the page. */
export function useRead<N extends ReadName>(name: N, when = true): UseQueryResult<Read<N>> {
  return useQuery({
    queryKey: keyOf(name),
    queryFn: READS[name] as () => Promise<Read<N>>, // the one of this name
    enabled: when,
    ...(FRESH.has(name) && { staleTime: 0 }),
  })
}

/** Shows what an act has answered. */
export const keepRead = <N extends ReadName>(client: QueryClient, name: N, answer: Read<N>): void =>
  void client.setQueryData(keyOf(name), answer)

/** Reads anew what an act has changed. */
export const readAgain = (client: QueryClient, ...names: readonly ReadName[]): Promise<unknown> =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: keyOf(name) })))
