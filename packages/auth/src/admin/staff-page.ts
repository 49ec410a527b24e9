import { demandReauthentication } from '../account/reauthentication/suspended-post.ts'
import { signedIn } from '../account/signed-in.ts'
import type { Core } from '../core.ts'
import { AuthError } from '../errors.ts'
import type { PageHandler } from '../kernel/http/route.ts'

/** A page for staff who have confirmed lately who they are. @throws {AuthError} `permission_denied` */
export const staffPage =
  (core: Core, handler: PageHandler): PageHandler =>
  async (request, params) => {
    const user = signedIn(request)
    if (!user.isStaff) throw new AuthError('permission_denied')
    if (!(await core.login.isRecent(request))) return demandReauthentication(core, request)
    if (!(await core.adapter.mayAdminister(request, user))) throw new AuthError('permission_denied')
    return handler(request, params)
  }
