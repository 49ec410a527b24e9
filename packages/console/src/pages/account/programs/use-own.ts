import { useSession } from '../../../api/session.ts'
import { useViewedAccount } from '../../../api/viewed-account.ts'

/** Returns the query that addresses one's own account, even while staff view another one. */
export function useOwnAccountQuery(): { readonly query: { readonly account?: string } } {
  const { me } = useSession()
  return { query: useViewedAccount() === null ? {} : { account: me.account } }
}
