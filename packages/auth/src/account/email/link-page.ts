import type { Account } from '../account.ts'
import { AuthError } from '../../errors.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageHandler } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { nextContext } from '../page-context.ts'
import { confirmByLink } from './confirm-by-link.ts'
import { addressOfKey } from './confirmation-key.ts'

/** Shows what a mailed link is about; with `confirmEmailOnGet` it is enough to open it. */
export function showConfirmation(account: Account): PageHandler {
  return async (request, { key = '' }) => {
    const address = await addressOfKey(account, request, key)
    if (address === null) return invalidPage(request)
    await signOutOthers(account, request, address)
    return account.kernel.settings.account.confirmEmailOnGet
      ? confirm(account, request, key, address)
      : confirmationPage(account, request, key, address)
  }
}

/** Verifies the address of a mailed link. @throws {AuthError} `not_found` for a link that does not work */
export function takeConfirmation(account: Account): PageHandler {
  return async (request, { key = '' }) => {
    const address = await addressOfKey(account, request, key)
    if (address === null) throw new AuthError('not_found')
    await signOutOthers(account, request, address)
    return confirm(account, request, key, address)
  }
}

/** Somebody else's session must not go on with this address. */
async function signOutOthers(account: Account, request: Visit, address: EmailAddress): Promise<void> {
  if (request.user !== null && request.user.id !== address.userId) await account.login.logout(request)
}

async function confirm(account: Account, request: Visit, key: string, address: EmailAddress): Promise<PageAnswer> {
  const { confirmed, outcome } = await confirmByLink(account, request, address)
  if (outcome !== null) return outcomeAnswer(outcome)
  if (!confirmed) return confirmationPage(account, request, key, address)
  const to = request.next ?? (await account.adapter.getEmailVerificationRedirectUrl(request, address))
  return to === '' ? confirmationPage(account, request, key, { ...address, verified: true }) : { kind: 'redirect', to }
}

async function confirmationPage(
  account: Account,
  request: Visit,
  key: string,
  address: EmailAddress,
): Promise<PageAnswer> {
  const { email, verified } = address
  const user = await account.kernel.users.byId(request.db, address.userId)
  const taken =
    account.kernel.settings.account.uniqueEmail &&
    (await account.emails.isVerifiedElsewhere(request.db, email, address.id))
  const canConfirm = verified || !taken
  return {
    kind: 'page',
    template: 'account/email_confirm',
    context: {
      ...nextContext(request),
      confirmation: { key, email, email_address: { ...address, user } },
      can_confirm: canConfirm,
      email,
    },
    data: { can_confirm: canConfirm, email, ...display(account, user) },
  }
}

const display = (account: Account, user: User | null): Readonly<Record<string, unknown>> =>
  user === null ? {} : { user: { display: account.adapter.userDisplay(user) } }

const invalidPage = (request: Visit): PageAnswer => ({
  kind: 'page',
  template: 'account/email_confirm',
  context: { ...nextContext(request), confirmation: null, can_confirm: false, email: '' },
  data: { can_confirm: false },
  ...(request.client === 'xhr' ? { status: 400 } : {}),
})
