import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../http/answer.ts'
import type { AuthRequest } from '../../request.ts'
import { entranceContext, withNext } from '../page-context.ts'
import { pendingEmailCode, startEmailCode } from './code-verification.ts'
import { addressesOf } from './mirror.ts'
import { settingUrl } from './setting-url.ts'
import { EMAIL_STAGE_PAGE } from './stage.ts'
import { sendConfirmationLink } from './verification.ts'

/**
 * Lets only people with a verified address pass: `null`. Others get a verification (as often as the limit allows) and
 * the answer to give.
 * @throws {AuthError} `rate_limited`: with codes, when one has just been sent and is not waited for any more
 */
export async function verifiedEmailRequired(core: Core, request: AuthRequest): Promise<PageAnswer | null> {
  const { user } = request
  const here = `${request.url.pathname}${request.url.search}`
  if (user === null) return { kind: 'redirect', to: withNext(settingUrl(core, core.settings.loginUrl), here) }
  const addresses = await addressesOf(core, request, user)
  if (addresses.some(({ verified }) => verified)) return null
  const [address] = addresses
  const page: PageAnswer = {
    kind: 'page',
    template: 'account/verified_email_required',
    context: await entranceContext(core, request),
  }
  if (address === undefined) return page
  if (!core.settings.account.emailVerificationByCodeEnabled) {
    await sendConfirmationLink(core, request, { user, address, signup: false })
    return page
  }
  if ((await pendingEmailCode(core, request)) === null) {
    await startEmailCode(core, request, { user, email: address.email, signup: false, stage: false })
  }
  return { kind: 'redirect', to: withNext(core.url(EMAIL_STAGE_PAGE), here) }
}
