import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  type UseMutationResult,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import type { ApiError } from './api-error.ts'
import { type Answer, call, type CallInput, type CallName, type MaybeInput } from './call.ts'
import { useOnce } from './once.ts'
import { useViewedAccount } from './viewed-account.ts'

/** Under which an answer is kept: the operation first, so that all its answers can be named. */
export const queryKey = (name: CallName, input: object = {}, account: string | null = null): readonly unknown[] => [
  name,
  input,
  account,
]

interface ReadOptions<A = never> {
  /** Asks again and again, in milliseconds: only where no event tells. A refusal ends it. */
  readonly everyMs?: number
  /** With `everyMs`: whether nothing more will happen after this answer. */
  readonly until?: (answer: A) => boolean
  /** Asks again when there is no answer yet because the service cannot be reached, in milliseconds. */
  readonly againMs?: number
  /** `false`: not asked yet. */
  readonly when?: boolean
  /** Until the answer to a changed question is there, that of the last one is shown. */
  readonly keep?: boolean
}

/** A service that stops or starts, or a proxy that does not reach it. */
const mayPass = (error: ApiError | null): boolean => error !== null && (error.status === 0 || error.status >= 500)

/** The answer of a reading operation, kept and shared between the parts of the page. */
export function useCall<N extends CallName>(
  name: N,
  input: CallInput<N>,
  { everyMs, until, againMs, when = true, keep = false }: ReadOptions<Answer<N>> = {},
): UseQueryResult<Answer<N>, ApiError> {
  const account = useViewedAccount()
  return useQuery<Answer<N>, ApiError>({
    queryKey: queryKey(name, input, account),
    queryFn: ({ signal }) => call(name, input, signal),
    enabled: when,
    ...(everyMs !== undefined && {
      refetchInterval: ({ state: { data, error } }) =>
        (error === null || mayPass(error)) && (data === undefined || until?.(data) !== true) && everyMs,
    }),
    ...(againMs !== undefined && {
      refetchInterval: ({ state: { data, error } }) => data === undefined && mayPass(error) && againMs,
    }),
    ...(keep && { placeholderData: keepPreviousData }),
  })
}

/** Operations that answer a page of a list. */
type PagedName = {
  [N in CallName]: Answer<N> extends { readonly items: readonly unknown[]; readonly next: string | null } ? N : never
}[CallName]
type Item<N extends PagedName> = Answer<N> extends { readonly items: readonly (infer I)[] } ? I : never

/** A list of any length, newest first, with its further pages on demand. */
export interface List<I> {
  readonly items: readonly I[]
  readonly isLoading: boolean
  readonly error: ApiError | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  more(): void
  retry(): void
}

/** The items of a list that comes in pages. */
export function useList<N extends PagedName>(
  name: N,
  input: CallInput<N>,
  { when = true, keep = false }: ReadOptions = {},
): List<Item<N>> {
  const account = useViewedAccount()
  const found = useInfiniteQuery<Answer<N>, ApiError, { pages: Answer<N>[] }, readonly unknown[], string | undefined>({
    queryKey: queryKey(name, input, account),
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => {
      const place = name === 'listAccounts' ? 'after' : 'before'
      const query = { ...input.query, ...(pageParam !== undefined && { [place]: pageParam }) }
      return call(name, { ...input, query }, signal)
    },
    getNextPageParam: (page) => (page as { next: string | null }).next ?? undefined, // a page of a list has it
    enabled: when,
    ...(keep && { placeholderData: keepPreviousData }),
  })
  return {
    items: found.data?.pages.flatMap((page) => (page as unknown as { items: readonly Item<N>[] }).items) ?? [], // likewise
    isLoading: found.isPending && when,
    error: found.error,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    more: () => void found.fetchNextPage(),
    retry: () => void found.refetch(),
  }
}

/** Lets the answers of these operations be asked for again. */
export const refresh = (client: QueryClient, ...names: readonly CallName[]): Promise<unknown> =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))

/**
 * A changing operation, begun once however often it is pressed meanwhile; afterwards the answers of `refreshes` are asked
 * for again.
 */
export function useChange<N extends CallName>(
  name: N,
  ...refreshes: readonly CallName[]
): UseMutationResult<Answer<N>, ApiError, MaybeInput<N>[0]> {
  const client = useQueryClient()
  const once = useOnce()
  return useMutation<Answer<N>, ApiError, MaybeInput<N>[0]>({
    mutationFn: (input) => once(input, () => call(name, (input ?? {}) as CallInput<N>)), // what needs nothing may leave it out
    onSettled: () => refresh(client, ...refreshes),
  })
}
