import type { Account } from '../account.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { redirectFromSignup, prefillSignup } from './before-signup.ts'
import { cleanSignup } from './clean.ts'
import { signupFields } from './fields.ts'
import { beginSignup, saveSignup, type SignedUp } from './signup-flow.ts'

/**
 * Form `signup`. A host that adds fields finds their values in `save`, which stores the account in a transaction; called
 * inside `request.transaction` with what else is to be stored, it is one with it.
 */
const signupForm = (account: Account): FormDefinition<SignedUp> => ({
  id: 'signup',
  fields: (request) => [...signupFields(account), ...(account.signupForm?.fields(request) ?? [])],
  clean: (request, values) => cleanSignup(account, request, values),
  save: (request, values) => saveSignup(account, request, values),
})

/** The page where people create accounts. */
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
