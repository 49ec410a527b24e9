import type { Invitations } from './invitations.ts'
import { hashOf } from './secret-text.ts'
import type { Visit, Core, PageRoute } from '@gatepost/auth'

/** Reverse name of the page that a link leads to. */
export const INVITATION_PAGE = 'gateway_invitation'
/** Where the session keeps the hash of the link that was opened. */
const SESSION_KEY = 'gateway_invitation'

/** What the visitor was invited with: the hash of the link; `null`: nothing. */
export function invitedWith(request: Visit): string | null {
  const kept = request.session.get(SESSION_KEY)
  return typeof kept === 'string' ? kept : null
}

/** The invitation has served. */
export const forgetInvitation = (request: Visit): void => request.session.delete(SESSION_KEY)

/**
 * `invitation/{token}/`: moves the token into the session and leads to the sign-up, so that no later address, and no
 * `Referer`, holds it. Opening uses nothing up: whoever looks at links in mails does that as well.
 */
export function invitationPage(core: Core, invitations: Invitations): PageRoute {
  return {
    name: INVITATION_PAGE,
    path: 'invitation/{token}/',
    access: 'anon',
    async GET(request, { token = '' }) {
      const invitation = await invitations.open(token)
      if (invitation === null || request.user !== null) {
        const state = invitation === null ? 'gone' : 'signed_in'
        const status = invitation === null ? 404 : 200
        return { kind: 'page', template: 'gateway/invitation', context: { state }, status }
      }
      request.session.set(SESSION_KEY, hashOf(token))
      if (invitation.email !== null) core.adapter.stashVerifiedEmail(request, invitation.email)
      return { kind: 'redirect', to: signupUrl(core, request) }
    },
  }
}

/** Where there are no pages it is the front end's, if it has one. */
const signupUrl = (core: Core, request: Visit): string =>
  core.has('account_signup')
    ? core.url('account_signup')
    : (core.headless.adapter.getFrontendUrl(request, 'account_signup') ?? '/')
