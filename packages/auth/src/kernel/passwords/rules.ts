import type { InputError } from '../../errors.ts'
import type { PasswordRule } from '../settings/password-rules.ts'
import type { NewUser } from '../users/user.ts'
import { createIdleThread } from './idle-thread.ts'

/** The inputs of `passwordProblems`. */
export interface PasswordRuleOptions {
  readonly settings: {
    readonly passwordValidators: readonly PasswordRule[]
    readonly account: {
      /** In characters; applies if there are no validators. */
      readonly passwordMinLength: number
      /** Minimum zxcvbn score, 0 to 4; `null` to skip the check. */
      readonly passwordStrength: number | null
    }
  }
  /**
   * Returns whether the password has appeared in a data breach. Called last, and only if the password passes all other
   * rules.
   */
  readonly isBreached?: (password: string) => Promise<boolean>
}

/** The messages of the password rules by code, except `password_too_similar`, which has several. */
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

/** Returns the rules that a new password violates, in order. The expensive checks run only if all others pass. */
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
    const problem = await checkRule(rule, password, about)
    if (problem) problems.push(problem)
  }
  if (problems.length > 0) return problems
  const leastScore = settings.account.passwordStrength
  if (leastScore !== null && (await passwordStrength(password, collectUserTexts(about))) < leastScore)
    return [error('password_too_weak')]
  return (await isBreached?.(password)) === true ? [error('password_breached')] : []
}

async function checkRule(rule: PasswordRule, password: string, about: NewUser): Promise<InputError | null> {
  switch (rule.id) {
    case 'minimum_length':
      return Array.from(password).length < rule.minLength
        ? { ...error('password_too_short'), values: { min_length: rule.minLength } }
        : null
    case 'user_attribute_similarity':
      return similarityError(rule, password, about)
    case 'common_password':
      return (await isCommonPassword(password)) ? error('password_too_common') : null
    case 'numeric_password':
      return /^\p{Nd}+$/u.test(password) ? error('password_entirely_numeric') : null
  }
}

function similarityError(
  { attributes, maxSimilarity }: Extract<PasswordRule, { readonly id: 'user_attribute_similarity' }>,
  password: string,
  about: NewUser,
): InputError | null {
  for (const attribute of attributes) {
    const known = SIMILAR[attribute]
    const text = known && about[known.field]
    if (typeof text === 'string' && isSimilar(password, text, maxSimilarity))
      return { code: 'password_too_similar', message: known?.message ?? '', values: { attribute } }
  }
  return null
}

const error = (code: keyof typeof PASSWORD_MESSAGES): InputError => ({ code, message: PASSWORD_MESSAGES[code] })

const collectUserTexts = (about: NewUser): readonly string[] =>
  Object.values(SIMILAR).flatMap(({ field }) => {
    const text = about[field]
    return typeof text === 'string' && text !== '' ? [text] : []
  })

/** The number of most common passwords to reject. */
const REJECTED_COUNT = 20_000
const LIST = 'passwords-common'

/**
 * Returns whether a password is among the 20,000 most common ones, ignoring case. The list is loaded at first use and
 * searched linearly: new passwords are rare, and a set would permanently take megabytes.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const index = dictionary[LIST].indexOf(password.toLowerCase())
  return index >= 0 && index < REJECTED_COUNT
}

/** The library takes seconds for longer passwords. */
const LONGEST = 64
/** The published files end in `.js`. */
const WORKER = import.meta.url.endsWith('.ts')
  ? new URL('./strength-worker.ts', import.meta.url)
  : new URL('./strength-worker.js', import.meta.url)

const thread = createIdleThread<readonly [password: string, about: readonly string[]], number>(WORKER)

/**
 * Returns how well the first 64 characters of a password resist guessing, from 0 (too guessable) to 4 (very
 * unguessable).
 * @param about The user's data, which makes bad passwords.
 * @see Wheeler, "zxcvbn: Low-Budget Password Strength Estimation", USENIX Security 2016
 */
export const passwordStrength = (password: string, about: readonly string[]): Promise<number> =>
  thread.ask([password.slice(0, LONGEST), about])

/**
 * Returns the similarity of two texts from 0 to 1: twice the number of characters they share, over the sum of their
 * lengths. Ignores order, so an anagram is as bad as the text itself.
 */
export function similarity(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)]
  if (a.length + b.length === 0) return 1
  const rest = new Map<string, number>()
  for (const character of b) rest.set(character, (rest.get(character) ?? 0) + 1)
  let shared = 0
  for (const character of a) {
    const count = rest.get(character) ?? 0
    if (count > 0) shared += 1
    rest.set(character, count - 1)
  }
  return (2 * shared) / (a.length + b.length)
}

/**
 * Returns whether a password is similar to a text about its user, or to one of the words in it, ignoring case.
 * @param max The similarity, from 0 to 1, at which texts count as similar.
 */
export function isSimilar(password: string, about: string, max: number): boolean {
  const given = password.toLowerCase()
  const text = about.toLowerCase()
  const parts = [text, ...text.split(/[^\p{L}\p{N}_]+/u)].filter((part) => part !== '')
  return parts.some((part) => similarity(given, part) >= max)
}
