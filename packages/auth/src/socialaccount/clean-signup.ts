import type { Core } from '../core.ts'
import { type InputError, InvalidInput } from '../errors.ts'
import type { Field, FormValues } from '../forms/form.ts'
import { cleanSignup } from '../account/signup/clean.ts'
import { signupFields } from '../account/signup/fields.ts'
import type { AuthRequest } from '../request.ts'
import type { SocialLogin } from './social-login.ts'

/**
 * What is asked of somebody who signs up through a provider: the fields of the sign-up without passwords. Whether the
 * address is required `SOCIALACCOUNT_EMAIL_REQUIRED` says.
 */
export function socialSignupFields(core: Core): readonly Field[] {
  const required = core.settings.socialaccount.emailRequired
  const asked = signupFields(core, EMAIL).filter(({ type }) => type !== 'password')
  return asked.map((field) => (field.name.startsWith('email') ? { ...field, required } : field))
}

/** Asked for even where the sign-up of accounts with passwords does not. */
const EMAIL = 'email'

/** @throws {InvalidInput} with the errors of all fields; a taken address is told with the name of the provider */
export async function cleanSocialSignup(
  core: Core,
  request: AuthRequest,
  sociallogin: SocialLogin,
  given: FormValues,
): Promise<FormValues> {
  try {
    return await cleanSignup(core, request, given, { withoutPassword: true, asked: socialSignupFields(core) })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw await refusedConflict(core, request, sociallogin, error.errors)
  }
}

/** These errors, where a taken address says what can be done: sign in, and connect. */
export async function refusedConflict(
  core: Core,
  request: AuthRequest,
  { account }: SocialLogin,
  errors: readonly InputError[],
): Promise<InvalidInput> {
  const provider = await core.social.nameOf(request.db, account.provider)
  const told = errors.map((error) => {
    if (error.code !== 'email_taken') return error
    const { message, values } = core.adapter.validationError('social_email_taken', { values: { provider } })
    return { ...error, message, values: values ?? {} }
  })
  return new InvalidInput(told)
}
