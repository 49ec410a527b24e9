import { useQueryClient } from '@tanstack/react-query'
import { readAgain } from '../account-reads.ts'
import { refresh } from '../../../api/queries.ts'

/** After a second factor came or went: what lists them, and what somebody may do, is asked for again. */
export function useFactorsChanged(): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all([readAgain(client, 'factors', 'sessions'), refresh(client, 'whoAmI')])
}
