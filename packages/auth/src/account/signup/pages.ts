import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../forms/form.ts'
import { isEmailSyntax } from '../../forms/email-syntax.ts'
import type { PageAnswer } from '../../http/answer.ts'
import type { PageRoute } from '../../http/route.ts'
import type { AuthRequest } from '../../request.ts'
import { stashedEmail } from '../email/hooks.ts'
import { outcomeAnswer } from '../login/outcome-answer.ts'
import { awayFromEntrance } from '../login/page-guards.ts'
import { entranceContext, nextContext } from '../page-context.ts'
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
  const show = async (request: AuthRequest): Promise<PageAnswer> =>
    (await elsewhere(core, request)) ?? signupPage(core, request, core.forms.show(form, request, prefilled(request)))
  const take = async (request: AuthRequest): Promise<PageAnswer> => {
    const other = await elsewhere(core, request)
    if (other !== null) return other
    const submitted = await core.forms.submit(form, request)
    if (!submitted.ok) return signupPage(core, request, submitted.form)
    return outcomeAnswer(await beginSignup(core, request, submitted.result))
  }
  const limit = { action: 'signup', per: 'ip' } as const
  return [{ name: 'account_signup', path: 'signup/', GET: show, POST: take, access: 'anon', limit }]
}

/** Who is signed in belongs elsewhere; sign-up may be closed. */
async function elsewhere(core: Core, request: AuthRequest): Promise<PageAnswer | null> {
  const away = await awayFromEntrance(core, request)
  if (away !== null) return away
  if (await core.adapter.isOpenForSignup(request)) return null
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(core, request) }
}

/** The address of a link (`?email=`) or of an invitation. */
function prefilled(request: AuthRequest): Readonly<Record<string, string>> {
  const email = stashedEmail(request) ?? request.url.searchParams.get('email')
  return email !== null && isEmailSyntax(email) ? { email } : {}
}

const signupPage = async (core: Core, request: AuthRequest, form: BoundForm): Promise<PageAnswer> => ({
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
