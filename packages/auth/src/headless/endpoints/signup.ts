import { cleanSignup } from '../../account/signup/clean.ts'
import { signupFields } from '../../account/signup/fields.ts'
import { beginSignup, saveSignup } from '../../account/signup/signup-flow.ts'
import { AuthError } from '../../errors.ts'
import type { Field, FormValues } from '../../kernel/forms/form.ts'
import { type ApiCall, type ApiModule, operationOf } from '../endpoint.ts'
import { withNames } from '../input-errors.ts'
import type { InputField } from '../input.ts'
import { loginAnswer } from '../login-answer.ts'

/** New accounts. */
export const signupResources: ApiModule = (core) =>
  core.settings.socialaccount.only
    ? []
    : [
        {
          path: 'auth/signup',
          tag: 'Account',
          access: 'anon',
          limit: { action: 'signup', per: 'ip' },
          operations: {
            POST: operationOf({
              summary: 'Creates an account',
              input: signupInput,
              answers: { 200: 'Authenticated', 401: 'AuthenticationFlows', 403: 'Status', 409: 'Status' },
              async handle({ core, request }, { password, ...others }) {
                const values = { ...others, ...(password !== undefined && { password1: password }) } as FormValues // text and booleans alone, by `signupInput`
                const cleaned = await withNames(JSON_NAMES, () => cleanSignup(core, request, values))
                if (request.user !== null) throw new AuthError('flow_wrong_stage')
                if (!(await core.adapter.isOpenForSignup(request))) throw new AuthError('permission_denied')
                const signedUp = await withNames(JSON_NAMES, () => saveSignup(core, request, cleaned))
                return loginAnswer(await beginSignup(core, request, signedUp))
              },
            }),
          },
        },
      ]

const JSON_NAMES = { password1: 'password' } as const
/** Nobody types by hand what a program sends: nothing is asked for twice. */
const REPETITIONS: ReadonlySet<string> = new Set(['email2', 'password2'])

/**
 * What a sign-up asks for, in the order of the settings; the host's own fields follow.
 * @param options.password `false`: for one by passkey.
 */
export function signupInput(
  { core, request }: ApiCall,
  { password = true }: { readonly password?: boolean } = {},
): readonly InputField[] {
  const own = signupFields(core)
    .filter(({ name }) => !REPETITIONS.has(name) && (password || name !== 'password1'))
    .map((field) => inputField(field.name === 'password1' ? { ...field, name: 'password' } : field))
  const honeypot = core.settings.account.signupFormHoneypotField
  return [
    ...own,
    ...(core.signupForm?.fields(request) ?? []).map(inputField),
    ...(honeypot === null
      ? []
      : [{ name: honeypot, kind: 'text' as const, required: false, about: 'Hidden from people: leave it out.' }]),
  ]
}

const KINDS = {
  text: 'text',
  textarea: 'text',
  tel: 'text',
  hidden: 'text',
  email: 'email',
  password: 'password',
  checkbox: 'boolean',
} as const satisfies Record<Field['type'], InputField['kind']>

/** A field of a form as a member of a body. */
export const inputField = ({ name, type, required, maxLength, label }: Field): InputField => ({
  name,
  kind: KINDS[type],
  required,
  ...(maxLength !== undefined && { maxLength }),
  ...(label !== '' && { about: label }),
})
