import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { entranceContext, nextContext } from '../page-context.ts'
import { awayFromSignup, prefilledSignup } from './before-signup.ts'
import { cleanSignup } from './clean.ts'
import { signupFields } from './fields.ts'
import { beginSignup, saveSignup, type SignedUp } from './signup-flow.ts'

/**
 * Form `signup`. A host that adds fields finds their values in `save`, which stores the account in a transaction; called
 * inside `request.transaction` with what else is to be stored, it is one with it.
 */
const signupForm = (core: Core): FormDefinition<SignedUp> => ({
  id: 'signup',
  fields: (request) => [...signupFields(core), ...(core.signupForm?.fields(request) ?? [])],
  clean: (request, values) => cleanSignup(core, request, values),
  save: (request, values) => saveSignup(core, request, values),
})

/** The page where people create accounts. */
export function signupPages(core: Core): readonly PageRoute[] {
  if (core.settings.socialaccount.only) return []
  const form = signupForm(core)
  const show = async (request: Visit): Promise<PageAnswer> =>
    (await awayFromSignup(core, request)) ??
    signupPage(core, request, core.forms.show(form, request, prefilledSignup(request)))
  const take = async (request: Visit): Promise<PageAnswer> => {
    const other = await awayFromSignup(core, request)
    if (other !== null) return other
    const submitted = await core.forms.submit(form, request)
    if (!submitted.ok) return signupPage(core, request, submitted.form)
    return outcomeAnswer(await beginSignup(core, request, submitted.result))
  }
  const limit = { action: 'signup', per: 'ip' } as const
  return [{ name: 'account_signup', path: 'signup/', GET: show, POST: take, access: 'anon', limit }]
}

const signupPage = async (core: Core, request: Visit, form: BoundForm): Promise<PageAnswer> => ({
  kind: 'page',
  template: 'account/signup',
  form,
  context: {
    ...(await entranceContext(core, request)),
    ...nextContext(request),
    form,
    honeypot_field: core.settings.account.signupFormHoneypotField,
  },
})
