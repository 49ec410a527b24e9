import { settingUrl, withNext } from '../../kernel/http/redirects.ts'
import type { Account } from '../account.ts'
import type { PageAnswer } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { entranceContext } from '../page-context.ts'
import { pendingEmailCode, startEmailCode } from './code-verification.ts'
import { loadEmailAddresses } from './mirror.ts'
import { EMAIL_STAGE_PAGE } from './stage.ts'
import { sendConfirmationLink } from './verification.ts'

/** Short path of the page where a visitor waits for a verification, below the mount point. */
export const VERIFY_EMAIL_PATH = 'verify-email/'

/**
 * If verification is mandatory, redirects a signed-in visitor without a verified address to the verification page and
 * sends the mail for it. Returns `null` if the visitor may continue.
 * @throws {AuthError} `rate_limited`, as `verifiedEmailRequired`
 */
export async function redirectUnverified(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (request.user === null || account.kernel.settings.account.emailVerification !== 'mandatory') return null
  const answer = await verifiedEmailRequired(account, request)
  if (answer === null) return null
  const hasAddress = (await loadEmailAddresses(account, request, request.user)).length > 0
  const page = hasAddress
    ? `${account.kernel.settings.pathPrefix}${VERIFY_EMAIL_PATH}`
    : account.kernel.url('account_email')
  return { kind: 'redirect', to: withNext(page, `${request.url.pathname}${request.url.search}`) }
}

/**
 * Returns `null` for a visitor with a verified address. Sends others a verification, if the rate limit allows it, and
 * returns the page or redirect to answer with. Visitors who aren't signed in are redirected to the login page.
 * @throws {AuthError} `rate_limited` with codes, if none is pending but one has just been sent
 */
export async function verifiedEmailRequired(account: Account, request: Visit): Promise<PageAnswer | null> {
  const { user } = request
  const here = `${request.url.pathname}${request.url.search}`
  if (user === null)
    return { kind: 'redirect', to: withNext(settingUrl(account.kernel, account.kernel.settings.loginUrl), here) }
  const addresses = await loadEmailAddresses(account, request, user)
  if (addresses.some(({ verified }) => verified)) return null
  const [address] = addresses
  const page: PageAnswer = {
    kind: 'page',
    template: 'account/verified_email_required',
    context: await entranceContext(account, request),
  }
  if (address === undefined) return page
  if (!account.kernel.settings.account.emailVerificationByCodeEnabled) {
    await sendConfirmationLink(account, request, { user, address, signup: false })
    return page
  }
  if ((await pendingEmailCode(account, request)) === null) {
    await startEmailCode(account, request, { user, email: address.email, signup: false, stage: false })
  }
  return { kind: 'redirect', to: withNext(account.kernel.url(EMAIL_STAGE_PAGE), here) }
}
