import { useSession } from '../../../api/session.ts'
import { useViewedAccount } from '../../../api/viewed-account.ts'

/** Lets a call be about one's own account, also while staff look at the channels of another one. */
export function useOwn(): { readonly query: { readonly account?: string } } {
  const { me } = useSession()
  return { query: useViewedAccount() === null ? {} : { account: me.account } }
}
