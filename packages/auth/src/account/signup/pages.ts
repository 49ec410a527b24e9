import { isEmailSyntax, type BoundForm, type FormDefinition, type FormOverride } from '../../kernel/forms/form.ts'
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
export const signupPages = (account: Account): readonly PageRoute[] =>
  account.kernel.settings.socialaccount.only ? [] : [createSignupPage(account, PAGE, signupForm(account))]

/** A sign-up page of the host's own. */
export interface SignupView {
  /** Name of the page, for `url`. */
  readonly name: string
  /** Path below the pages' prefix, such as `members/signup/`. */
  readonly path: string
  /** Returns the page's form, which extends the built-in one: other fields, another `clean` or `save`. */
  readonly form: FormOverride<SignedUp>
  /** Name of the page's template. Default: `account/signup`. */
  readonly template?: string
}

/**
 * Returns an additional sign-up page with a form of its own, for the option `pages` of `createAuth`. It has the same access,
 * rate limit, and next steps as the built-in one.
 */
export function signupView({ account }: { readonly account: Account }, view: SignupView): PageRoute {
  const { name, path, template = PAGE.template } = view
  const base = account.kernel.forms.of(signupForm(account))
  return createSignupPage(account, { name, path, template }, { ...view.form(base), id: null })
}

interface Page {
  readonly name: string
  readonly path: string
  readonly template: string
}

const PAGE: Page = { name: 'account_signup', path: 'signup/', template: 'account/signup' }

function createSignupPage(account: Account, { name, path, template }: Page, form: FormDefinition<SignedUp>): PageRoute {
  const show = async (request: Visit): Promise<PageAnswer> =>
    (await redirectFromSignup(account, request)) ??
    renderSignup(account, request, template, account.kernel.forms.show(form, request, prefillSignup(request)))
  const take = async (request: Visit): Promise<PageAnswer> => {
    const other = await redirectFromSignup(account, request)
    if (other !== null) return other
    const submitted = await account.kernel.forms.submit(form, request)
    if (!submitted.ok) return renderSignup(account, request, template, submitted.form)
    return outcomeAnswer(await beginSignup(account, request, submitted.result))
  }
  const limit = { action: 'signup', per: 'ip' } as const
  return { name, path, GET: show, POST: take, access: 'anon', limit }
}

const renderSignup = async (
  account: Account,
  request: Visit,
  template: string,
  form: BoundForm,
): Promise<PageAnswer> => ({
  kind: 'page',
  template,
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
