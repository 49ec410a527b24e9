import type { Account } from '../../account/account.ts'
import { outcomeAnswer } from '../../account/login/page-guards.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import { signupFields } from '../../account/signup/clean.ts'
import type { BoundForm, FormDefinition, Field } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageRoute } from '../../kernel/http/route.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { Social } from '../social-accounts.ts'
import type { SocialLogin } from '../social-login.ts'

/** The page to complete a sign-up if the provider returned too little data. */
export const signupPage = (social: Social): PageRoute => ({
  name: 'socialaccount_signup',
  path: '3rdparty/signup/',
  access: 'anon',
  limit: { action: 'signup', per: 'ip' },
  GET: (request) =>
    withPendingSignup(social, request, async (sociallogin) => {
      const initial = social.adapter.getSignupFormInitialData(sociallogin)
      return renderSocialSignup(
        social,
        request,
        sociallogin,
        social.kernel.forms.show(signupForm(social, sociallogin), request, initial),
      )
    }),
  POST: (request) =>
    withPendingSignup(social, request, async (sociallogin) => {
      const submitted = await social.kernel.forms.submit(signupForm(social, sociallogin), request)
      return submitted.ok
        ? outcomeAnswer(submitted.result)
        : renderSocialSignup(social, request, sociallogin, submitted.form)
    }),
})

/** Form `socialaccount_signup`. */
const signupForm = (social: Social, sociallogin: SocialLogin): FormDefinition<LoginOutcome> => ({
  id: 'socialaccount_signup',
  fields: (request) => socialSignupFields(social.account, request),
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => social.completeSignup(request, sociallogin, values),
})

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Runs `work` for the pending social sign-up; redirects other visitors. */
async function withPendingSignup(
  social: Social,
  request: Visit,
  work: (sociallogin: SocialLogin) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const sociallogin = await social.pendingSignup(request)
  if (sociallogin === null) return redirect(social.kernel.url('account_login'))
  if (request.user !== null && social.kernel.settings.account.authenticatedLoginRedirects) {
    return redirect(social.kernel.url('socialaccount_connections'))
  }
  if (await social.adapter.isOpenForSignup(request, sociallogin)) return work(sociallogin)
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(social.account, request) }
}

async function renderSocialSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  form: BoundForm,
): Promise<PageAnswer> {
  const { account } = sociallogin
  const name = await social.loadProviderName(request.db, account.provider)
  return {
    kind: 'page',
    template: 'socialaccount/signup',
    context: {
      ...(await entranceContext(social.account, request)),
      ...nextContext(request),
      form,
      account: {
        provider: account.provider,
        uid: account.uid,
        provider_name: name,
        display: social.display(account),
      },
    },
    form,
  }
}

const PASSWORDS: ReadonlySet<string> = new Set(['password1', 'password2'])
const EMAIL: Field = {
  name: 'email',
  label: 'Email address',
  type: 'email',
  required: true,
  autocomplete: 'email',
  inputMode: 'email',
  maxLength: 320,
}

/**
 * Returns the fields of a social sign-up: those of any sign-up, without a password; the address depends on
 * `SOCIALACCOUNT_EMAIL_REQUIRED`. The host's fields follow.
 */
export function socialSignupFields(account: Account, request: Visit): readonly Field[] {
  const { emailRequired } = account.kernel.settings.socialaccount
  const fields = signupFields(account).filter(({ name }) => !PASSWORDS.has(name))
  const own = fields.map((field) =>
    field.name === 'email' || field.name === 'email2' ? { ...field, required: emailRequired } : field,
  )
  const hasEmail = fields.some(({ name }) => name === 'email')
  return [...(emailRequired && !hasEmail ? [EMAIL] : []), ...own, ...(account.signupForm?.fields(request) ?? [])]
}
