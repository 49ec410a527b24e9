import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useRef } from 'react'
import { type Answer, type ApiError, call, type CallInput, type CallName, type OptionalInput } from './client.ts'
import { useViewedAccount } from './viewed-account.ts'

/** Returns a response's cache key. The operation comes first, so that all its responses can be matched. */
export const queryKey = (name: CallName, input: object = {}, account: string | null = null): readonly unknown[] => [
  name,
  input,
  account,
]

interface ReadOptions<A = never> {
  /** Polling interval in ms, for data without events. Polling ends when the service rejects the request. */
  readonly everyMs?: number
  /** With `everyMs`: reports whether to stop polling after this response. */
  readonly until?: (answer: A) => boolean
  /** Retry interval in ms until the first response, while the service is unreachable. */
  readonly againMs?: number
  /** `false` postpones the request. */
  readonly when?: boolean
  /** Keeps showing the previous response while the one for a changed input loads. */
  readonly keep?: boolean
}

/** Reports whether an error is temporary: the service is starting or stopping, or a proxy can't reach it. */
const isTransient = (error: ApiError | null): boolean => error !== null && (error.status === 0 || error.status >= 500)

/** Returns the response of a read operation, cached and shared within the page. */
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
        (error === null || isTransient(error)) && (data === undefined || until?.(data) !== true) && everyMs,
    }),
    ...(againMs !== undefined && {
      refetchInterval: ({ state: { data, error } }) => data === undefined && isTransient(error) && againMs,
    }),
    ...(keep && { placeholderData: keepPreviousData }),
  })
}

/** Operations that return one page of a list. */
type PagedName = {
  [N in CallName]: Answer<N> extends { readonly items: readonly unknown[]; readonly next: string | null } ? N : never
}[CallName]
type Item<N extends PagedName> = Answer<N> extends { readonly items: readonly (infer I)[] } ? I : never

/** A list that loads page by page, in the service's order. */
export interface List<I> {
  readonly items: readonly I[]
  readonly isLoading: boolean
  readonly error: ApiError | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  more(): void
  retry(): void
}

/** Returns the items of a paged list. */
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
    getNextPageParam: (page) => (page as { next: string | null }).next ?? undefined, // every page of a list has it
    enabled: when,
    ...(keep && { placeholderData: keepPreviousData }),
  })
  return {
    items: found.data?.pages.flatMap((page) => (page as unknown as { items: readonly Item<N>[] }).items) ?? [], // every page of a list has them
    isLoading: found.isPending && when,
    error: found.error,
    hasMore: found.hasNextPage,
    isLoadingMore: found.isFetchingNextPage,
    more: () => void found.fetchNextPage(),
    retry: () => void found.refetch(),
  }
}

/** Refetches the responses of these operations. */
export const refresh = (client: QueryClient, ...names: readonly CallName[]): Promise<unknown> =>
  Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name] })))

/**
 * Returns a mutation that refetches the responses of `refreshes` when it ends. Calls with the same input share one
 * request while it is in flight.
 */
export function useChange<N extends CallName>(
  name: N,
  ...refreshes: readonly CallName[]
): UseMutationResult<Answer<N>, ApiError, OptionalInput<N>[0]> {
  const client = useQueryClient()
  const once = useRunOnce()
  return useMutation<Answer<N>, ApiError, OptionalInput<N>[0]>({
    mutationFn: (input) => once(input, () => call(name, (input ?? {}) as CallInput<N>)), // the input is optional where none is needed
    onSettled: () => refresh(client, ...refreshes),
  })
}

/** Runs `work`, or returns the pending promise for the same input. */
type RunOnce = <T>(input: unknown, work: () => Promise<T>) => Promise<T>

/** Returns a function that ignores a second click while the first one's request is in flight. */
export function useRunOnce(): RunOnce {
  const inFlight = useRef(new Map<string, Promise<unknown>>())
  return <T>(input: unknown, work: () => Promise<T>) => {
    const key = JSON.stringify(input) ?? ''
    const found = inFlight.current.get(key) as Promise<T> | undefined // stored for the same input
    if (found !== undefined) return found
    const pending = work().finally(() => inFlight.current.delete(key))
    inFlight.current.set(key, pending)
    return pending
  }
}
