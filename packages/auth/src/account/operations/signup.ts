import type { Account } from '../account.ts'
import type { Visit } from '../../kernel/visit.ts'
import {
  createResource,
  implement,
  reportOtherErrors,
  withFieldNames,
  loginAnswer,
  type ApiResource,
} from '../../kernel/operations/operation.ts'
import { ACCOUNT_OPERATIONS } from './table.ts'
import { checkSignup, cleanSignup, signupFields } from '../signup/clean.ts'
import { beginSignup, saveSignup } from '../signup/signup-flow.ts'
import { AuthError } from '../../errors.ts'
import type { Field, FormValues } from '../../kernel/forms/form.ts'
import type { InputField } from '../../kernel/operations/declaration.ts'

/** Returns the operation that creates accounts. */
export const signupResources = (account: Account): readonly ApiResource[] =>
  account.kernel.settings.socialaccount.only ? [] : [signupResource(account)]

const signupResource = (account: Account): ApiResource =>
  createResource(
    [
      implement(
        ACCOUNT_OPERATIONS.signup,
        async (visit, input) => {
          const cleaned = await withFieldNames(JSON_NAMES, () => cleanSignup(account, visit, toFormValues(input)))
          if (visit.user !== null) throw new AuthError('flow_wrong_stage')
          if (!(await account.adapter.isOpenForSignup(visit))) throw new AuthError('permission_denied')
          const signedUp = await withFieldNames(JSON_NAMES, () => saveSignup(account, visit, cleaned))
          return loginAnswer(await beginSignup(account, visit, signedUp))
        },
        {
          fields: (visit) => signupInput(account, visit),
          invalid: reportOtherErrors((visit, input) =>
            withFieldNames(JSON_NAMES, () => checkSignup(account, visit, toFormValues(input))),
          ),
        },
      ),
    ],
    { limit: { action: 'signup', per: 'ip' } },
  )

/** Converts input to values by form field. */
function toFormValues({ password, ...others }: Readonly<Record<string, unknown>>): FormValues {
  return { ...others, ...(password !== undefined && { password1: password }) } as FormValues // only texts and booleans, by `signupInput`
}

const JSON_NAMES = { password1: 'password' } as const
/** Fields that only guard against typos: the JSON API doesn't ask for them. */
const REPETITIONS: ReadonlySet<string> = new Set(['email2', 'password2'])

/**
 * Returns the fields of the sign-up: those of the settings in their order, then the host's own.
 * @param options.password Whether to include the password. Default: true.
 */
export function signupInput(
  account: Account,
  visit: Visit,
  { password = true }: { readonly password?: boolean } = {},
): readonly InputField[] {
  const own = signupFields(account)
    .filter(({ name }) => !REPETITIONS.has(name) && (password || name !== 'password1'))
    .map((field) => inputField(field.name === 'password1' ? { ...field, name: 'password' } : field))
  const honeypot = account.kernel.settings.account.signupFormHoneypotField
  return [
    ...own,
    ...(account.signupForm?.fields(visit) ?? []).map(inputField),
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

/** Converts a form field to a member of a JSON body. */
export const inputField = ({ name, type, required, maxLength, label }: Field): InputField => ({
  name,
  kind: KINDS[type],
  required,
  ...(maxLength !== undefined && { maxLength }),
  ...(label !== '' && { about: label }),
})
