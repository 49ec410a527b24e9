import type { Mfa } from '../second-factors.ts'
import type { LoginOutcome } from '../../kernel/login.ts'
import { userIdFromText } from '../../kernel/crypto/user-id-text.ts'
import { AuthError } from '../../errors.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'
import type { Authenticator, CredentialInput, FactorUse } from '../mfa.ts'
import { takeMfaTry } from '../tries.ts'
import { recordFailure, recordUse, type Use } from '../uses.ts'
import { type Asked, takeQuestion } from './ceremony.ts'
import { type AuthenticationCredential, authenticationCredential } from './credential.ts'
import { DECOY } from './decoy.ts'
import { expectedOf, wrongCredential } from './expected.ts'
import { keysOf } from './options.ts'
import { storedKey } from './stored-key.ts'
import { type Signed, verifyAuthentication } from './verify.ts'

/** `authenticate` of the flow. */
export async function authenticateByKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  credential: CredentialInput,
  use: FactorUse,
): Promise<Authenticator> {
  const given = authenticationCredential(credential)
  const question = given && takeQuestion(request, 'authenticate', user.id)
  if (given === null || question === null) throw wrongCredential(mfa.account)
  if (!isHandleOf(mfa, request, user, given.userHandle)) throw wrongCredential(mfa.account)
  return tryKey(mfa, request, { user, id: user.id, given, question }, use)
}

/** `login` of the flow. */
export async function loginByPasskey(mfa: Mfa, request: Visit, credential: CredentialInput): Promise<LoginOutcome> {
  if (!mfa.kernel.settings.mfa.passkeyLoginEnabled) throw new AuthError('permission_denied')
  const given = authenticationCredential(credential)
  const question = given && takeQuestion(request, 'login', null)
  const id = userIdFromText(textOf(given?.userHandle ?? null), mfa.kernel.settings.userTable.idType)
  if (given === null || question === null || id === null) throw wrongCredential(mfa.account)
  const user = await mfa.kernel.users.byId(request.db, id)
  const authenticator = await tryKey(mfa, request, { user, id, given, question }, { passwordless: true })
  return mfa.account.login.begin(request, { user: await ownerOf(request, authenticator) })
}

/** As the database has the user now: disabled meanwhile, for instance. */
const ownerOf = (request: Visit, { userId }: Authenticator): Promise<User | null> =>
  request.kernel.users.byId(request.db, userId)

interface Attempt {
  /** `null`: nobody has the id that the key tells. */
  readonly user: User | null
  readonly id: User['id']
  readonly given: AuthenticationCredential
  readonly question: Asked
}

/** One counted try. Nobody, a key of somebody else and a wrong signature cost the same and look the same. */
async function tryKey(mfa: Mfa, request: Visit, attempt: Attempt, use: Use): Promise<Authenticator> {
  const { user, id } = attempt
  const tried = await takeMfaTry(mfa.account, request, { userId: id, isKnown: use.passwordless !== true }, 'credential')
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
  else await keysOf(mfa, request, { id }) // what `recordFailure` would have read
  throw wrongCredential(mfa.account)
}

/** @returns `null`: the credential is wrong */
async function checkKey(
  mfa: Mfa,
  request: Visit,
  { user, id, given, question }: Attempt,
  use: Use,
): Promise<Authenticator | null> {
  const key = (await keysOf(mfa, request, { id })).find((row) => storedKey(row).id === given.id)
  const stored = key === undefined ? DECOY : storedKey(key)
  const checked = await verifyAuthentication(stored, given, expectedOf(mfa, request, question))
  if (!checked.ok) mfa.kernel.log.debug('A security key was refused', { reason: checked.reason })
  if (user === null || key === undefined || !checked.ok) return null
  return useKey(mfa, request, user, { key, signed: checked, use })
}

/**
 * Counts a signature, of two at once one after the other. @returns `null`: the authenticator counts, and not on from
 * what is stored, so there are two of it. @see W3C, "Web Authentication" Level 3, 6.1.1
 */
async function useKey(
  mfa: Mfa,
  request: Visit,
  user: User,
  { key, signed, use }: { readonly key: Authenticator; readonly signed: Signed; readonly use: Use },
): Promise<Authenticator | null> {
  const { authenticators } = mfa
  return request.transaction(async () => {
    await authenticators.claim(request.db, user.id)
    const present = await authenticators.byId(request.db, key.id)
    if (present === null) return null
    const before = storedKey(present).signCount ?? signed.registeredCount
    const { signCount } = signed
    if ((signCount > 0 || before > 0) && signCount <= before) {
      mfa.kernel.log.warn('A security key counts backwards: there may be a copy of it', { authenticator: key.id })
      return null
    }
    if (storedKey(present).signCount !== signCount) {
      await authenticators.update(request.db, key.id, { data: { ...present.data, sign_count: signCount } })
    }
    return recordUse(mfa, request, user, present, use)
  })
}

/** A key that tells whose it is must be the user's. */
function isHandleOf(mfa: Mfa, request: Visit, user: User, handle: string | null): boolean {
  if (handle === null) return true
  if (userIdFromText(textOf(handle), mfa.kernel.settings.userTable.idType) === user.id) return true
  const { id } = mfa.adapter.getPublicKeyCredentialUserEntity(request, user)
  return Buffer.from(id).toString('base64url') === handle
}

const textOf = (handle: string | null): string => Buffer.from(handle ?? '', 'base64url').toString('utf8')
