import { AuthError } from '../../errors.ts'
import { userIdFromText, type User } from '../../kernel/users/user.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { ConnectedKernel } from '../../kernel/module.ts'
import { isAdoptedDatabase } from '../../kernel/schema/adopted.sql.ts'
import { takeVisitorSlot } from '../../kernel/limits/take.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import type { Visit } from '../../kernel/visit.ts'
import { notifyRemoved, removeAuthenticators, requireVerifiedEmail } from '../changes.ts'
import type { WebauthnFlow, Authenticator, CredentialInput, FactorUse } from '../mfa.ts'
import type { Mfa } from '../second-factors.ts'
import { takeMfaSlot, recordFailure, recordAuthenticatorUse, type Use } from '../uses.ts'
import { addKey, cleanName } from './add.ts'
import { takeChallenge, creationOptions, loadSecurityKeys, requestOptions, type IssuedChallenge } from './options.ts'
import { authenticationCredential, parseStoredKey, type AuthenticationCredential } from './credential.ts'
import { buildExpected, wrongCredential, verifyAuthentication, type Registered, type Signed } from './verify.ts'
import { beginPasskeySignup, completePasskeySignup, passkeySignupOptions } from './signup.ts'

/** Creates the flow of security keys and passkeys. */
export function webauthnFlow(mfa: Mfa): WebauthnFlow {
  return {
    async creationOptions(request, user, { passwordless }) {
      await requireVerifiedEmail(mfa.account, request, user)
      return creationOptions(mfa, request, user, { purpose: 'add', passwordless })
    },
    add: (request, user, given) => addKey(mfa, request, user, given),
    rename: (request, user, authenticator, name) => renameKey(mfa, request, user, authenticator, name),
    remove: (request, user, authenticators) => removeKeys(mfa, request, user, authenticators),
    async requestOptions(request, user) {
      if (user !== null) return requestOptions(mfa, request, user, false)
      await takePasskeyLogin(mfa.kernel, request)
      return requestOptions(mfa, request, null, await requiresUserVerification(mfa.kernel))
    },
    authenticate: (request, user, credential, options) => authenticateByKey(mfa, request, user, credential, options),
    login: (request, credential) => loginByPasskey(mfa, request, credential),
    beginSignup: (request, values) => beginPasskeySignup(mfa.account, request, values),
    signupOptions: (request, user) => passkeySignupOptions(mfa, request, user),
    completeSignup: (request, user, given) => completePasskeySignup(mfa, request, user, given),
  }
}

/** Returns whether a passkey must verify its user: else whoever finds it can sign in. */
async function requiresUserVerification({
  settings,
  database,
}: Pick<ConnectedKernel, 'settings' | 'database'>): Promise<boolean> {
  const { passkeyLoginWithoutUserVerification: isOptional } = settings.mfa
  return !(isOptional ?? (await isAdoptedDatabase(database.db, database.dialect)))
}

/** Limits requests for options, which anyone can send. @throws {AuthError} `permission_denied`, `rate_limited` */
async function takePasskeyLogin(
  { settings, limits }: Pick<Kernel, 'settings' | 'limits'>,
  request: Visit,
): Promise<void> {
  if (!settings.mfa.passkeyLoginEnabled) throw new AuthError('permission_denied')
  await takeVisitorSlot(limits, 'login_webauthn', request)
}

/** Implements `rename` of the flow. @throws {AuthError} `not_found` if it was removed in the meantime */
async function renameKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  { id }: Authenticator,
  given: string,
): Promise<Authenticator> {
  const name = cleanName(mfa.account, given)
  return request.transaction(async () => {
    await mfa.authenticators.lock(request.db, user.id)
    const present = (await loadSecurityKeys(mfa, request, user)).find((row) => row.id === id)
    const changes = present && { data: { ...present.data, name } }
    const renamed = changes && (await mfa.authenticators.update(request.db, id, changes))
    if (!renamed) throw new AuthError('not_found')
    return renamed
  })
}

/** Implements `remove` of the flow. Skips keys that are already gone. */
async function removeKeys(mfa: Mfa, request: Visit, user: User, list: readonly Authenticator[]): Promise<void> {
  await request.transaction(async () => {
    await mfa.authenticators.lock(request.db, user.id)
    const present = (await loadSecurityKeys(mfa, request, user)).filter(({ id }) =>
      list.some((given) => given.id === id),
    )
    if (present.length === 0) return
    await removeAuthenticators(mfa, request, user, present)
    await notifyRemoved(mfa, request, user, 'webauthn_removed')
  })
}

/** Implements `authenticate` of the flow. */
async function authenticateByKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  credential: CredentialInput,
  use: FactorUse,
): Promise<Authenticator> {
  const given = authenticationCredential(credential)
  const issued = given && takeChallenge(request, 'authenticate', user.id)
  if (given === null || issued === null) throw wrongCredential(mfa.account)
  if (!isUserHandle(mfa, request, user, given.userHandle)) throw wrongCredential(mfa.account)
  return tryKey(mfa, request, { user, id: user.id, given, issued }, use)
}

/** Implements `login` of the flow. */
async function loginByPasskey(mfa: Mfa, request: Visit, credential: CredentialInput): Promise<LoginOutcome> {
  if (!mfa.kernel.settings.mfa.passkeyLoginEnabled) throw new AuthError('permission_denied')
  const given = authenticationCredential(credential)
  const issued = given && takeChallenge(request, 'login', null)
  const id = userIdFromText(decodeUserHandle(given?.userHandle ?? null), mfa.kernel.settings.userTable.idType)
  if (given === null || issued === null || id === null) throw wrongCredential(mfa.account)
  const user = await mfa.kernel.users.byId(request.db, id)
  const authenticator = await tryKey(mfa, request, { user, id, given, issued }, { passwordless: true })
  return mfa.account.login.begin(request, { user: await loadKeyOwner(request, authenticator) })
}

/** Loads the user again, because they may have been deactivated in the meantime. */
const loadKeyOwner = (request: Visit, { userId }: Authenticator): Promise<User | null> =>
  request.kernel.users.byId(request.db, userId)

interface Attempt {
  /** `null` if no user has the key's user handle. */
  readonly user: User | null
  readonly id: User['id']
  readonly given: AuthenticationCredential
  readonly issued: IssuedChallenge
}

/** Counts one attempt. An unknown user, another user's key and a wrong signature take the same time and look the same. */
async function tryKey(mfa: Mfa, request: Visit, attempt: Attempt, use: Use): Promise<Authenticator> {
  const { user, id } = attempt
  const tried = await takeMfaSlot(
    mfa.account,
    request,
    { userId: id, isKnown: use.passwordless !== true },
    'credential',
  )
  let used: Authenticator | null
  try {
    used = await checkKey(mfa, request, attempt, use)
    if (used === null) await request.session.commit()
  } catch (error) {
    await tried.giveBack()
    throw error
  }
  if (used !== null) {
    await tried.succeeded()
    return used
  }
  if (user !== null) await recordFailure(mfa, request, user, use)
  else await loadSecurityKeys(mfa, request, { id }) // what `recordFailure` would have read
  throw wrongCredential(mfa.account)
}

/** Checks a credential and records its use. @returns `null` if it's wrong */
async function checkKey(
  mfa: Mfa,
  request: Visit,
  { user, id, given, issued }: Attempt,
  use: Use,
): Promise<Authenticator | null> {
  const key = (await loadSecurityKeys(mfa, request, { id })).find((row) => parseStoredKey(row).id === given.id)
  const stored = key === undefined ? DECOY : parseStoredKey(key)
  const checked = await verifyAuthentication(stored, given, buildExpected(mfa, request, issued))
  if (!checked.ok) mfa.kernel.log.debug('A security key was refused', { reason: checked.reason })
  if (user === null || key === undefined || !checked.ok) return null
  return useKey(mfa, request, user, { key, signed: checked, use })
}

/**
 * Stores the signature count and records the use, under the user's lock. @returns `null` if the key was removed, or its
 * count hasn't increased, so it may have been cloned. @see W3C, "Web Authentication" Level 3, 6.1.1
 */
async function useKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  { key, signed, use }: { readonly key: Authenticator; readonly signed: Signed; readonly use: Use },
): Promise<Authenticator | null> {
  const { authenticators } = mfa
  return request.transaction(async () => {
    await authenticators.lock(request.db, user.id)
    const present = await authenticators.byId(request.db, key.id)
    if (present === null) return null
    const before = parseStoredKey(present).signCount ?? signed.registeredCount
    const { signCount } = signed
    if ((signCount > 0 || before > 0) && signCount <= before) {
      mfa.kernel.log.warn('A security key counts backwards: there may be a copy of it', { authenticator: key.id })
      return null
    }
    if (parseStoredKey(present).signCount !== signCount) {
      await authenticators.update(request.db, key.id, { data: { ...present.data, sign_count: signCount } })
    }
    return recordAuthenticatorUse(mfa, request, user, present, use)
  })
}

/** Returns whether the user handle matches; a key without one passes. */
function isUserHandle(mfa: Mfa, request: Visit, user: User, handle: string | null): boolean {
  if (handle === null) return true
  if (userIdFromText(decodeUserHandle(handle), mfa.kernel.settings.userTable.idType) === user.id) return true
  const { id } = mfa.adapter.getPublicKeyCredentialUserEntity(request, user)
  return Buffer.from(id).toString('base64url') === handle
}

const decodeUserHandle = (handle: string | null): string => Buffer.from(handle ?? '', 'base64url').toString('utf8')

/**
 * A credential whose private key was discarded. Verified when the user or key is unknown, so that timing
 * reveals nothing.
 */
const DECOY: Registered = {
  id: 'QE6sBx1sZDiIWrIVx-TVpQAuGJoZzfl00bVtE4TGy40',
  attestationObject:
    'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik95SE_aDuRnaW_ZhWmR9LueCBblUaPdZRJ7m3NDgWMnpFAAAAAAAAAAAAAAAAAAAAAAAAAAAAIEBOrAcdbGQ4iFqyFcfk1aUALhiaGc35dNG1bROExsuNpQECAyYgASFYILO4UAMKz4MI3yeFZDfGfFX86Y2tsQpZhzgpNPeLLosHIlggFOmSkg8R755YAu2Jttur50VaYwXGAF1NTR2ZAwdEGUU',
}
