import type { InputError } from '../../errors.ts'
import type { PasswordRule } from '../settings/password-rules.ts'
import type { NewUser } from '../users/user.ts'
import { isCommonPassword } from './common-passwords.ts'
import { isSimilar } from './similarity.ts'
import { passwordStrength } from './strength.ts'

/** What the rules for new passwords are made from. */
export interface PasswordRuleOptions {
  readonly settings: {
    readonly passwordValidators: readonly PasswordRule[]
    readonly account: {
      /** Characters; counts when there are no validators. */
      readonly passwordMinLength: number
      /** Least score of zxcvbn, 0 to 4; `null`: not asked for. */
      readonly passwordStrength: number | null
    }
  }
  /** Whether the password is known from a leak. Asked last, and only about what holds otherwise. */
  readonly isBreached?: (password: string) => Promise<boolean>
}

/** Texts of the password rules, by their codes; those of `password_too_similar` by what the password is like. */
export const PASSWORD_MESSAGES = {
  password_too_short: 'This password is too short. Use at least {min_length} characters.',
  password_too_common: 'This password is too common.',
  password_entirely_numeric: "Password can't be entirely numeric.",
  password_too_weak: 'This password is too easy to guess. Add another word or two. Uncommon words are better.',
  password_breached: "This password has appeared in a data breach. Choose one that you don't use anywhere else.",
} as const

const SIMILAR: Readonly<Record<string, { readonly field: keyof NewUser; readonly message: string }>> = {
  username: { field: 'username', message: 'This password is too similar to your username.' },
  first_name: { field: 'firstName', message: 'This password is too similar to your first name.' },
  last_name: { field: 'lastName', message: 'This password is too similar to your last name.' },
  email: { field: 'email', message: 'This password is too similar to your email address.' },
}

/** What is wrong with a new password, in the order of the rules; the dear questions come when all else holds. */
export async function passwordProblems(
  password: string,
  about: NewUser,
  { settings, isBreached }: PasswordRuleOptions,
): Promise<readonly InputError[]> {
  const rules: readonly PasswordRule[] =
    settings.passwordValidators.length > 0
      ? settings.passwordValidators
      : [{ id: 'minimum_length', minLength: settings.account.passwordMinLength }]
  const problems: InputError[] = []
  for (const rule of rules) {
    const problem = await problemOf(rule, password, about)
    if (problem) problems.push(problem)
  }
  if (problems.length > 0) return problems
  const leastScore = settings.account.passwordStrength
  if (leastScore !== null && (await passwordStrength(password, textsAbout(about))) < leastScore)
    return [error('password_too_weak')]
  return (await isBreached?.(password)) === true ? [error('password_breached')] : []
}

async function problemOf(rule: PasswordRule, password: string, about: NewUser): Promise<InputError | null> {
  switch (rule.id) {
    case 'minimum_length':
      return Array.from(password).length < rule.minLength
        ? { ...error('password_too_short'), values: { min_length: rule.minLength } }
        : null
    case 'user_attribute_similarity':
      return similarTo(rule, password, about)
    case 'common_password':
      return (await isCommonPassword(password)) ? error('password_too_common') : null
    case 'numeric_password':
      return /^\p{Nd}+$/u.test(password) ? error('password_entirely_numeric') : null
  }
}

function similarTo(
  { attributes, maxSimilarity }: Extract<PasswordRule, { readonly id: 'user_attribute_similarity' }>,
  password: string,
  about: NewUser,
): InputError | null {
  for (const attribute of attributes) {
    const known = SIMILAR[attribute]
    const text = known && about[known.field]
    if (typeof text === 'string' && isSimilar(password, text, maxSimilarity))
      return { code: 'password_too_similar', message: known?.message ?? '' }
  }
  return null
}

const error = (code: keyof typeof PASSWORD_MESSAGES): InputError => ({ code, message: PASSWORD_MESSAGES[code] })

const textsAbout = (about: NewUser): readonly string[] =>
  Object.values(SIMILAR).flatMap(({ field }) => {
    const text = about[field]
    return typeof text === 'string' && text !== '' ? [text] : []
  })
