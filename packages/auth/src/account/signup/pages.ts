import { isEmailSyntax, type BoundForm, type FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Account } from '../account.ts'
import { stashedEmail } from '../email/hooks.ts'
import { outcomeAnswer, redirectSignedIn } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { cleanSignup, signupFields } from './clean.ts'
import { beginSignup, saveSignup, type SignedUp } from './signup-flow.ts'

/**
 * Form `signup`. A host that adds fields gets their values in `save`, which stores the account in a transaction. To
 * store more in the same transaction, call it inside `request.transaction`.
 */
const signupForm = (account: Account): FormDefinition<SignedUp> => ({
  id: 'signup',
  fields: (request) => [...signupFields(account), ...(account.signupForm?.fields(request) ?? [])],
  clean: (request, values) => cleanSignup(account, request, values),
  save: (request, values) => saveSignup(account, request, values),
})

/** The sign-up page. */
export function signupPages(account: Account): readonly PageRoute[] {
  if (account.kernel.settings.socialaccount.only) return []
  const form = signupForm(account)
  const show = async (request: Visit): Promise<PageAnswer> =>
    (await redirectFromSignup(account, request)) ??
    signupPage(account, request, account.kernel.forms.show(form, request, prefillSignup(request)))
  const take = async (request: Visit): Promise<PageAnswer> => {
    const other = await redirectFromSignup(account, request)
    if (other !== null) return other
    const submitted = await account.kernel.forms.submit(form, request)
    if (!submitted.ok) return signupPage(account, request, submitted.form)
    return outcomeAnswer(await beginSignup(account, request, submitted.result))
  }
  const limit = { action: 'signup', per: 'ip' } as const
  return [{ name: 'account_signup', path: 'signup/', GET: show, POST: take, access: 'anon', limit }]
}

const signupPage = async (account: Account, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/signup',
  form,
  context: {
    ...(await entranceContext(account, request)),
    ...nextContext(request),
    form,
    honeypot_field: account.kernel.settings.account.signupFormHoneypotField,
  },
})

/** Returns what replaces a sign-up page: a redirect for signed-in visitors, or the page for closed sign-up. */
export async function redirectFromSignup(account: Account, request: Visit): Promise<PageAnswer | null> {
  const away = await redirectSignedIn(account, request)
  if (away !== null) return away
  if (await account.adapter.isOpenForSignup(request)) return null
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(account, request) }
}

/** Returns the address of an invitation or of the link (`?email=`), to prefill the form. */
export function prefillSignup(request: Visit): Readonly<Record<string, string>> {
  const email = stashedEmail(request) ?? request.url.searchParams.get('email')
  return email !== null && isEmailSyntax(email) ? { email } : {}
}
