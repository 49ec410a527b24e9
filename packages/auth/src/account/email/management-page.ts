import { InvalidInput } from '../../errors.ts'
import type { BoundForm } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageHandler } from '../../kernel/http/route.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { redirectToReauthentication } from '../reauthentication/reauthentication.ts'
import { requireSignedIn, showRateLimitError } from '../refusals.ts'
import { canAddAddress, foldText } from './clean-address.ts'
import { addEmailForm } from './forms.ts'
import { listAddresses, type ListedAddress, makePrimary, removeAddress, resendVerification } from './management.ts'
import { currentAddress } from './mirror.ts'
import { EMAIL_STAGE_PAGE } from './stage.ts'

/** Shows the user's addresses. */
export function renderAddresses(account: Account): PageHandler {
  return (request) => addressesPage(account, request, requireSignedIn(request))
}

/** Handles the buttons of the page by name: adds, verifies, makes primary or removes an address. */
export function changeAddresses(account: Account): PageHandler {
  return async (request) => {
    const user = requireSignedIn(request)
    const elsewhere = await confirmFirst(account, request)
    if (elsewhere !== null) return elsewhere
    if (request.form.has('action_add')) return add(account, request, user)
    const typed = foldText((request.form.get('email') ?? '').trim())
    const listed = (await listAddresses(account, request, user)).find(({ email }) => foldText(email) === typed)
    if (listed === undefined) return redirectAfterChange(account, request, user)
    if (request.form.has('action_send')) return send(account, request, user, listed)
    if (request.form.has('action_primary')) {
      await runOrShowError(account, request, 'account/messages/unverified_primary_email', listed, () =>
        makePrimary(account, request, user, listed),
      )
    }
    if (request.form.has('action_remove')) {
      await runOrShowError(account, request, 'account/messages/cannot_delete_primary_email', listed, () =>
        removeAddress(account, request, user, listed),
      )
    }
    return redirectAfterChange(account, request, user)
  }
}

async function add(account: Account, request: Visit, user: User): Promise<PageAnswer> {
  const submitted = await account.kernel.forms.submit(addEmailForm(account, user), request)
  if (!submitted.ok) return addressesPage(account, request, user, submitted.form)
  return redirectAfterChange(
    account,
    request,
    user,
    submitted.result.kind === 'code_sent' ? EMAIL_STAGE_PAGE : 'account_email',
  )
}

async function send(account: Account, request: Visit, user: User, listed: ListedAddress): Promise<PageAnswer> {
  const sent = await showRateLimitError(account, request, () => resendVerification(account, request, user, listed))
  return redirectAfterChange(account, request, user, sent === 'code_sent' ? EMAIL_STAGE_PAGE : 'account_email')
}

/** Runs `work`; shows its errors on the next page. */
async function runOrShowError(
  account: Account,
  request: Visit,
  message: string,
  { email }: ListedAddress,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    await account.adapter.addMessage(request, 'error', message, { email })
  }
}

async function redirectAfterChange(
  account: Account,
  request: Visit,
  user: User,
  page = 'account_email',
): Promise<PageAnswer> {
  const data = request.client === 'xhr' ? { data: toAddressItems(await listAddresses(account, request, user)) } : {}
  return { kind: 'redirect', to: account.kernel.url(page), ...data }
}

const toAddressItems = (addresses: readonly ListedAddress[]): readonly unknown[] =>
  addresses.map(({ id, email, verified, primary }) => ({ id, email, verified, primary }))

async function addressesPage(account: Account, request: Visit, user: User, submitted?: BoundForm): Promise<PageAnswer> {
  const addresses = await listAddresses(account, request, user)
  const form = submitted ?? account.kernel.forms.show(addEmailForm(account, user), request)
  const chosen = addresses.find(({ primary }) => primary) ?? addresses[0]
  return {
    kind: 'page',
    template: account.kernel.settings.account.changeEmail ? 'account/email_change' : 'account/email',
    form,
    context: {
      form,
      add_email_form: form,
      emailaddresses: addresses,
      emailaddress_radios: addresses.map((emailaddress, at) => ({
        id: `email_radio_${at}`,
        checked: emailaddress === chosen,
        emailaddress,
      })),
      can_add_email: canAddAddress(account.kernel, addresses),
      ...(account.kernel.settings.account.changeEmail ? toCurrentAndPending(addresses, user) : {}),
    },
    data: toAddressItems(addresses),
  }
}

/** Returns the current address and its pending replacement, for sites with one address per user. */
function toCurrentAndPending(addresses: readonly ListedAddress[], user: User): Readonly<Record<string, unknown>> {
  const current = currentAddress(addresses, user)
  const next = addresses.filter((address) => address !== current && !address.verified).at(-1) ?? null
  return { current_emailaddress: current, new_emailaddress: next }
}

/**
 * With `reauthenticationRequired`, returns the redirect to the reauthentication page if the visitor hasn't
 * reauthenticated recently; `null` means continue.
 */
export async function confirmFirst(account: Account, request: Visit): Promise<PageAnswer | null> {
  if (!account.kernel.settings.account.reauthenticationRequired || (await account.login.isRecent(request))) return null
  return redirectToReauthentication(account, request)
}
