import type { Account } from '../account.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { randomText } from '../../kernel/crypto/random.ts'
import { InvalidInput } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import { foldText } from '../email/clean-address.ts'

/** Maximum number of characters: the size of the column. */
const MAX_LENGTH = 150
const DEFAULT_PATTERN = /^[\p{L}\p{N}_.@+-]+$/u
const MAX_SUFFIX_LENGTH = 6
const MAX_SUFFIX_DIGITS = 4

/**
 * Returns the username to store for typed input.
 * @param shallow Skips the check whether it's taken.
 * @throws {InvalidInput} `min_length`, `max_length`, `invalid`, `username_blacklisted`, `username_taken`
 */
export async function cleanUsername(
  account: Account,
  request: Visit,
  typed: string,
  shallow: boolean = false,
): Promise<string> {
  const settings = account.kernel.settings.account
  const refuse = (code: string, values: Readonly<Record<string, number>> = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'username', values })])
  const normal = typed.normalize('NFKC')
  const username = settings.preserveUsernameCasing ? normal : normal.toLowerCase()
  const { length } = Array.from(username)
  if (length < settings.usernameMinLength) throw refuse('min_length', { min: settings.usernameMinLength })
  if (length > MAX_LENGTH) throw refuse('max_length', { max: MAX_LENGTH })
  if (settings.usernameValidators === null && !DEFAULT_PATTERN.test(username)) throw refuse('invalid')
  const wrong = (settings.usernameValidators ?? [])
    .map((validate) => validate(username))
    .filter((text) => text !== null)
  if (wrong.length > 0)
    throw new InvalidInput(wrong.map((message) => ({ code: 'invalid', message, param: 'username' })))
  if (settings.usernameBlacklist.some((name) => foldText(name) === foldText(username))) {
    throw refuse('username_blacklisted')
  }
  if (!shallow && (await account.kernel.users.byUsername(request.db, username)) !== null) throw refuse('username_taken')
  return username
}

/**
 * Returns an unused username made from the first suitable text: from its ASCII characters or, for an address, from the
 * part before the `@`; with a random suffix if it's taken.
 */
export async function uniqueUsername(account: Account, request: Visit, texts: readonly string[]): Promise<string> {
  for (const text of [...texts, 'user']) {
    const base = usernameBase(text)
    if (base === '' || !(await isValid(account, request, base, ['min_length']))) continue
    for (const candidate of generateUsernames(account.kernel, base)) {
      const isFree = (await account.kernel.users.byUsername(request.db, candidate)) === null
      if (isFree && (await isValid(account, request, candidate))) return candidate
    }
  }
  return `user_${randomText(account.kernel.random, 'abcdefghijklmnopqrstuvwxyz0123456789', 24)}`
}

/** Returns the part of a text that a username can contain: lower-case ASCII, with `_` for spaces. */
export function usernameBase(text: string): string {
  const ascii = text
    .normalize('NFKD')
    .replaceAll(/[^\p{ASCII}]/gu, '')
    .replaceAll(/[^\w\s@+.-]/g, '')
    .toLowerCase()
  const [local = ''] = ascii.split('@')
  return local.trim().replaceAll(/\s+/g, '_')
}

/** Yields the base if it's long enough, then the base with growing random suffixes: up to four digits, then letters. */
function* generateUsernames(kernel: Kernel, base: string): Generator<string> {
  const cut = (room: number): string =>
    Array.from(base)
      .slice(0, MAX_LENGTH - room)
      .join('')
  if (base.length >= kernel.settings.account.usernameMinLength) yield cut(0)
  for (let size = 1; size <= MAX_SUFFIX_LENGTH; size++) {
    for (let again = 0; again < 2; again++) yield `${cut(size)}${randomSuffix(kernel, size)}`
  }
}

function randomSuffix(kernel: Kernel, size: number): string {
  const digits = Math.min(size, MAX_SUFFIX_DIGITS)
  const letters = size - digits
  return (
    randomText(kernel.random, '0123456789', digits) +
    (letters === 0 ? '' : randomText(kernel.random, 'abcdefghijklmnopqrstuvwxyz', letters))
  )
}

/** Returns whether a username is valid. @param fixable Codes of errors to ignore, because a suffix can fix them. */
async function isValid(
  account: Account,
  request: Visit,
  username: string,
  fixable: readonly string[] = [],
): Promise<boolean> {
  try {
    await account.adapter.cleanUsername(request, username, true)
    return true
  } catch (error) {
    if (error instanceof InvalidInput) return error.errors.every(({ code }) => fixable.includes(code))
    throw error
  }
}
