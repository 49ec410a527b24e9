import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { Visit } from '../../kernel/visit.ts'
import { entranceContext, withNext } from '../page-context.ts'
import { pendingEmailCode, startEmailCode } from './code-verification.ts'
import { addressesOf } from './mirror.ts'
import { settingUrl } from './setting-url.ts'
import { EMAIL_STAGE_PAGE } from './stage.ts'
import { sendConfirmationLink } from './verification.ts'

/** Name that the contract has for the page where a visitor waits for a verification, below the mount point. */
export const CONTRACT_PAGE = 'verify-email/'

/**
 * Where verification is mandatory: sends who is signed in without a verified address to the page of the verification,
 * and mails what is needed for it. `null`: nothing is in the way of this visitor.
 * @throws {AuthError} `rate_limited`, as `verifiedEmailRequired`
 */
export async function awayUnverified(core: Core, request: Visit): Promise<PageAnswer | null> {
  if (request.user === null || core.settings.account.emailVerification !== 'mandatory') return null
  const answer = await verifiedEmailRequired(core, request)
  if (answer === null) return null
  const hasAddress = (await addressesOf(core, request, request.user)).length > 0
  const page = hasAddress ? `${core.settings.pathPrefix}${CONTRACT_PAGE}` : core.url('account_email')
  return { kind: 'redirect', to: withNext(page, `${request.url.pathname}${request.url.search}`) }
}

/**
 * Lets only people with a verified address pass: `null`. Others get a verification (as often as the limit allows) and
 * the answer to give.
 * @throws {AuthError} `rate_limited`: with codes, when one has just been sent and is not waited for any more
 */
export async function verifiedEmailRequired(core: Core, request: Visit): Promise<PageAnswer | null> {
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
