import type { Account } from '../account/account.ts'
import { redirectToReauthentication } from '../account/reauthentication/reauthentication.ts'
import { requireSignedIn } from '../account/refusals.ts'
import { AuthError } from '../errors.ts'
import type { PageHandler, PageRoute } from '../kernel/http/route.ts'
import type { Contributions, Module, ModuleContext } from '../kernel/module.ts'

/** Returns the staff pages of the other modules, guarded by an access check. */
const adminContributions = (account: Account, others: readonly Contributions[]): Contributions => ({
  pages: others.flatMap(({ staffPages = [] }) => staffPages).map((route) => guardRoute(account, route)),
})

function guardRoute(account: Account, { GET, POST, ...route }: PageRoute): PageRoute {
  return {
    ...route,
    ...(GET && { GET: guardHandler(account, GET) }),
    ...(POST && { POST: guardHandler(account, POST) }),
  }
}

/** Wraps a page that requires a recently authenticated staff member. @throws {AuthError} `permission_denied` */
const guardHandler =
  (account: Account, handler: PageHandler): PageHandler =>
  async (visit, params) => {
    const user = requireSignedIn(visit)
    if (!user.isStaff) throw new AuthError('permission_denied')
    if (!(await account.login.isRecent(visit))) return redirectToReauthentication(account, visit)
    if (!(await account.adapter.mayAdminister(visit, user))) throw new AuthError('permission_denied')
    return handler(visit, params)
  }

/** Creates the module of the pages for staff. It has no hooks of its own. */
export const createModule = (account: Account, _adapter: undefined, { before }: ModuleContext): Module<null> => ({
  service: null,
  contributions: adminContributions(account, before),
})
