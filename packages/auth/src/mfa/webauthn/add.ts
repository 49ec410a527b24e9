import type { Account } from '../../account/account.ts'
import { InvalidInput } from '../../errors.ts'
import { takeSlot } from '../../kernel/limits/take.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Visit } from '../../kernel/visit.ts'
import { addAuthenticator, notifyAdded, requireVerifiedEmail } from '../changes.ts'
import type { AuthenticatorAdded, CredentialInput } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { takeChallenge, loadSecurityKeys, type Ceremony } from './options.ts'
import { registrationCredential, keyData, parseStoredKey, type RegistrationCredential } from './credential.ts'
import { buildExpected, wrongCredential, verifyRegistration } from './verify.ts'

/** A new credential and its name. If the name is empty, one is generated. */
export interface NewKey {
  readonly name: string
  readonly credential: CredentialInput
}

/** Implements `add` of the flow. @throws {AuthError} `rate_limited` */
export async function addKey(mfa: Mfa, request: Visit, user: User, given: NewKey): Promise<AuthenticatorAdded> {
  await takeSlot(mfa.kernel.limits, 'add_webauthn', { ip: request.clientIp, userId: user.id }, request.nowMs)
  await requireVerifiedEmail(mfa.account, request, user)
  const data = await checkNewKey(mfa, request, user, 'add', given)
  return request.transaction(async () => {
    const added = await addAuthenticator(mfa, request, user, { type: 'webauthn', data })
    await notifyAdded(mfa, request, user, added, 'webauthn_added')
    return added
  })
}

/**
 * Checks a new credential. The caller stores it together with the session, in which its challenge is used up.
 * @returns the data to store @throws {InvalidInput} `incorrect_code`
 */
export async function checkNewKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  purpose: Ceremony['purpose'],
  given: NewKey,
): Promise<ReturnType<typeof keyData>> {
  const credential = registrationCredential(given.credential)
  const issued = credential && takeChallenge(request, purpose, user.id)
  if (credential === null || issued === null) throw wrongCredential(mfa.account)
  const checked = await verifyRegistration(credential, buildExpected(mfa, request, issued))
  if (!checked.ok) mfa.kernel.log.debug('A security key was refused', { reason: checked.reason })
  if (!checked.ok || (await isKnown(mfa, request, user, credential))) {
    await request.session.commit()
    throw wrongCredential(mfa.account)
  }
  return keyData(await nameNewKey(mfa, request, user, given.name), credential, checked)
}

/** Returns whether the user already has this credential. Browsers never create one twice, so it was replayed. */
async function isKnown(mfa: Mfa, request: Visit, user: User, { id }: RegistrationCredential): Promise<boolean> {
  return (await loadSecurityKeys(mfa, request, user)).some((row) => parseStoredKey(row).id === id)
}

/** Maximum number of characters of a name. */
const MAX_NAME_LENGTH = 100

/** Returns the name of a new key. Repairs an invalid one instead of refusing it, because the key already exists. */
async function nameNewKey(mfa: Mfa, request: Visit, user: User, given: string): Promise<string> {
  const name = Array.from(
    given
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim(),
  )
    .slice(0, MAX_NAME_LENGTH)
    .join('')
  return name === '' ? mfa.adapter.generateAuthenticatorName(request, user, 'webauthn') : name
}

/** Cleans a name. @throws {InvalidInput} `required`, `max_length`, `null_characters_not_allowed` (param `name`) */
export function cleanName(account: Account, given: string): string {
  const name = given.toWellFormed().trim()
  const wrong = (code: string, values = {}): InvalidInput =>
    new InvalidInput([account.adapter.validationError(code, { param: 'name', values })])
  if (name === '') throw wrong('required')
  if (name.includes('\0')) throw wrong('null_characters_not_allowed')
  if (Array.from(name).length > MAX_NAME_LENGTH) throw wrong('max_length', { max: MAX_NAME_LENGTH })
  return name
}
