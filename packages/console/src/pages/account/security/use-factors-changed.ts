import { useQueryClient } from '@tanstack/react-query'
import { refreshAccountQueries } from '../account-reads.ts'
import { refresh } from '../../../api/queries.ts'

/** Returns a function that refetches the factors and permissions after a change. */
export function useRefreshFactors(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all([refreshAccountQueries(client, 'factors', 'sessions'), refresh(client, 'whoAmI')])
}
