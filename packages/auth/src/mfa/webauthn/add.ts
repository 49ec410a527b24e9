import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addAuthenticator, notifyAdded, requireVerifiedEmail } from '../changes.ts'
import type { AuthenticatorAdded, CredentialInput } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { takeChallenge, loadSecurityKeys, type Question } from './options.ts'
import { registrationCredential, keyData, parseStoredKey, type RegistrationCredential } from './credential.ts'
import { buildExpected, wrongCredential, verifyRegistration } from './verify.ts'

/** A new credential, and what the person calls it; empty: a name is made up. */
export interface GivenKey {
  readonly name: string
  readonly credential: CredentialInput
}

/** `add` of the flow. @throws {AuthError} `rate_limited`: too many at once */
export async function addKey(mfa: Mfa, request: Visit, user: User, given: GivenKey): Promise<AuthenticatorAdded> {
  await takeSlot(mfa.kernel.limits, 'add_webauthn', { ip: request.clientIp, userId: user.id }, request.nowMs)
  await requireVerifiedEmail(mfa.account, request, user)
  const data = await newKey(mfa, request, user, 'add', given)
  return request.transaction(async () => {
    const added = await addAuthenticator(mfa, request, user, { type: 'webauthn', data })
    await notifyAdded(mfa, request, user, added, 'webauthn_added')
    return added
  })
}

/**
 * Checks a new credential. The caller stores it with the session, in which its question is used up.
 * @returns what is to be stored of it @throws {InvalidInput} `incorrect_code`
 */
export async function newKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  purpose: Question['purpose'],
  given: GivenKey,
): Promise<ReturnType<typeof keyData>> {
  const credential = registrationCredential(given.credential)
  const question = credential && takeChallenge(request, purpose, user.id)
  if (credential === null || question === null) throw wrongCredential(mfa.account)
  const checked = await verifyRegistration(credential, buildExpected(mfa, request, question))
  if (!checked.ok) mfa.kernel.log.debug('A security key was refused', { reason: checked.reason })
  if (!checked.ok || (await isKnown(mfa, request, user, credential))) {
    await request.session.commit()
    throw wrongCredential(mfa.account)
  }
  return keyData(await nameNewKey(mfa, request, user, given.name), credential, checked)
}

/** Browsers do not make another credential where the user has one: who sends the same one again copied it. */
async function isKnown(mfa: Mfa, request: Visit, user: User, { id }: RegistrationCredential): Promise<boolean> {
  return (await loadSecurityKeys(mfa, request, user)).some((row) => parseStoredKey(row).id === id)
}

/** Characters. */
const MAX = 100

/** Name of a new key. The key exists already, so that a name which cannot be taken is cut or made up. */
async function nameNewKey(mfa: Mfa, request: Visit, user: User, given: string): Promise<string> {
  const name = Array.from(
    given
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim(),
  )
    .slice(0, MAX)
    .join('')
  return name === '' ? mfa.adapter.generateAuthenticatorName(request, user, 'webauthn') : name
}

/** @throws {InvalidInput} `required`, `max_length`, `null_characters_not_allowed` (param `name`) */
export function cleanName(account: Account, given: string): string {
  const name = given.toWellFormed().trim()
  const wrong = (code: string, values = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'name', values })])
  if (name === '') throw wrong('required')
  if (name.includes('\0')) throw wrong('null_characters_not_allowed')
  if (Array.from(name).length > MAX) throw wrong('max_length', { max: MAX })
  return name
}
