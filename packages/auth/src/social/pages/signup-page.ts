import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import type { LoginOutcome } from '../../account/login.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import type { Core } from '../../core.ts'
import type { BoundForm, FormDefinition } from '../../kernel/forms/form.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { SocialLogin } from '../social-login.ts'
import { socialSignupFields } from './signup-fields.ts'

/** Where somebody completes a sign-up for which the provider has not told enough. */
export const signupPage = (core: Core): PageRoute => ({
  name: 'socialaccount_signup',
  path: '3rdparty/signup/',
  access: 'anon',
  limit: { action: 'signup', per: 'ip' },
  GET: (request) =>
    withPending(core, request, async (sociallogin) => {
      const initial = core.social.adapter.getSignupFormInitialData(sociallogin)
      return page(core, request, sociallogin, core.forms.show(signupForm(core, sociallogin), request, initial))
    }),
  POST: (request) =>
    withPending(core, request, async (sociallogin) => {
      const submitted = await core.forms.submit(signupForm(core, sociallogin), request)
      return submitted.ok ? outcomeAnswer(submitted.result) : page(core, request, sociallogin, submitted.form)
    }),
})

/** Form `signup` of social accounts. */
const signupForm = (core: Core, sociallogin: SocialLogin): FormDefinition<LoginOutcome> => ({
  id: 'socialaccount_signup',
  fields: (request) => socialSignupFields(core, request),
  clean: (_request, values) => Promise.resolve(values),
  save: (request, values) => core.social.completeSignup(request, sociallogin, values),
})

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Runs `work` for the login whose sign-up waits; others are sent to where they belong. */
async function withPending(
  core: Core,
  request: Visit,
  work: (sociallogin: SocialLogin) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const sociallogin = await core.social.pendingSignup(request)
  if (sociallogin === null) return redirect(core.url('account_login'))
  if (request.user !== null && core.settings.account.authenticatedLoginRedirects) {
    return redirect(core.url('socialaccount_connections'))
  }
  if (await core.social.adapter.isOpenForSignup(request, sociallogin)) return work(sociallogin)
  return { kind: 'page', template: 'account/signup_closed', context: await entranceContext(core, request) }
}

async function page(core: Core, request: Visit, sociallogin: SocialLogin, form: BoundForm): Promise<PageAnswer> {
  const { account } = sociallogin
  const name = await core.social.nameOf(request.db, account.provider)
  return {
    kind: 'page',
    template: 'socialaccount/signup',
    context: {
      ...(await entranceContext(core, request)),
      ...nextContext(request),
      form,
      account: {
        provider: account.provider,
        uid: account.uid,
        provider_name: name,
        display: core.social.display(account),
      },
    },
    form,
  }
}
