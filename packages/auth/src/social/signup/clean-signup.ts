import type { Social } from '../social-accounts.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { FormValues } from '../../kernel/forms/form.ts'
import { cleanSignup } from '../../account/signup/clean.ts'
import type { Visit } from '../../kernel/visit.ts'
import { socialSignupFields } from '../pages/signup-fields.ts'
import type { SocialLogin } from '../social-login.ts'

/** @throws {InvalidInput} with the errors of all fields; a taken address is told with the name of the provider */
export async function cleanSocialSignup(
  social: Social,
  request: Visit,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<FormValues> {
  const hosts = new Set(social.account.signupForm?.fields(request).map(({ name }) => name))
  const asked = socialSignupFields(social.account, request).filter(({ name }) => !hosts.has(name))
  try {
    const { emailVerification } = social.kernel.settings.socialaccount
    return await cleanSignup(social.account, request, given, { withoutPassword: true, asked, emailVerification })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw await refusedConflict(social, request, sociallogin, error.errors)
  }
}

/** These errors, where a taken address says what can be done: sign in, and connect. */
export async function refusedConflict(
  social: Social,
  request: Visit,
  { account }: SocialLogin,
  errors: readonly InputError[],
): Promise<InvalidInput> {
  const provider = await social.nameOf(request.db, account.provider)
  const told = errors.map((error) => {
    if (error.code !== 'email_taken') return error
    const { message, values } = social.account.adapter.validationError('social_email_taken', { values: { provider } })
    return { ...error, message, values: values ?? {} }
  })
  return new InvalidInput(told)
}
