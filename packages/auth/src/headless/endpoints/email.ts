import { canChangeEmail, changeEmailAtStage } from '../../account/email/change-at-stage.ts'
import {
  canResendEmailCode,
  emailCodes,
  type PendingEmailCode,
  pendingEmailCode,
  resendEmailCode,
} from '../../account/email/code-verification.ts'
import {
  addAddress,
  canBePrimary,
  cleanNewAddress,
  type ListedAddress,
  listAddresses,
  makePrimary,
  removeAddress,
  sendAgain,
} from '../../account/email/management.ts'
import { addressesOf } from '../../account/email/mirror.ts'
import { sameText } from '../../account/email/same-text.ts'
import { signedIn } from '../../account/signed-in.ts'
import { AuthError, InvalidInput } from '../../errors.ts'
import { type ApiAnswer, type ApiCall, type ApiModule, type ApiResource, operation } from '../endpoint.ts'
import { requireRecent } from '../require-recent.ts'
import { takeAtStage, unlessRepeated } from '../stage-limit.ts'

/** One's e-mail addresses; for a sign-up that waits for its code, another one. */
export const emailResources: ApiModule = (core) => (core.settings.socialaccount.only ? [] : [resource])

const EMAIL = [{ name: 'email', kind: 'email', required: true, maxLength: 320 }] as const
const LIMIT = 'manage_email'

const resource: ApiResource = {
  path: 'account/email',
  tag: 'Account: e-mail',
  access: 'anon',
  limit: { action: LIMIT, per: 'user' },
  async before(call, method) {
    if (call.request.user !== null) return null
    if (method !== 'POST') return { kind: 'authentication' }
    await takeAtStage(call, LIMIT, (await changeable(call)).user)
    return null
  },
  operations: {
    GET: operation({
      summary: 'Your e-mail addresses',
      answers: { 200: 'EmailAddresses', 401: 'AuthenticationFlows' },
      handle: (call) => addresses(call),
    }),
    POST: operation({
      summary: 'Add an e-mail address, or take another one for the sign-up that waits for its code',
      input: EMAIL,
      answers: { 200: 'EmailAddresses', 401: 'AuthenticationFlows', 409: 'Status' },
      handle: (call, { email }) => (call.request.user === null ? changeAtStage(call, email) : add(call, email)),
    }),
    PUT: operation({
      summary: 'Send the verification of an e-mail address once more',
      input: EMAIL,
      answers: { 200: 'Status', 401: 'AuthenticationFlows', 403: 'Status' },
      async handle(call, { email }) {
        return { kind: 'data', status: (await send(call, await own(call, email))) ? 200 : 403 }
      },
    }),
    PATCH: operation({
      summary: 'Make an e-mail address the primary one',
      input: [...EMAIL, { name: 'primary', kind: 'boolean', required: true, about: 'Always `true`.' }],
      answers: { 200: 'EmailAddresses', 401: 'AuthenticationFlows' },
      handle: (call, { email, primary }) => prefer(call, email, primary),
    }),
    DELETE: operation({
      summary: 'Remove an e-mail address',
      input: EMAIL,
      answers: { 200: 'EmailAddresses', 401: 'AuthenticationFlows' },
      handle: (call, { email }) => remove(call, email),
    }),
  },
}

const refused = ({ core }: ApiCall, code: string, param: string = 'email'): InvalidInput =>
  new InvalidInput([core.adapter.validationError(code, { param })])

async function addresses({ core, request }: ApiCall): Promise<ApiAnswer> {
  return { kind: 'data', data: shown(await listAddresses(core, request, signedIn(request))) }
}

type ShownAddress = Pick<ListedAddress, 'email' | 'verified' | 'primary'>

const shown = (listed: readonly ShownAddress[]): readonly ShownAddress[] =>
  listed.map(({ email, verified, primary }) => ({ email, verified, primary }))

const find = (listed: readonly ListedAddress[], typed: string): ListedAddress | undefined =>
  listed.find(({ email }) => sameText(email) === sameText(typed))

/** An address of who is signed in. @throws {InvalidInput} `unknown_email` */
async function own(call: ApiCall, typed: string): Promise<ListedAddress> {
  const { core, request } = call
  const found = find(await listAddresses(core, request, signedIn(request)), typed)
  if (found === undefined) throw refused(call, 'unknown_email')
  return found
}

/** Where the settings want it. @throws {AuthError} `reauthentication_required` */
async function confirmFirst(call: ApiCall): Promise<void> {
  if (call.core.settings.account.reauthenticationRequired) await requireRecent(call)
}

async function add(call: ApiCall, typed: string): Promise<ApiAnswer> {
  const { core, request } = call
  const user = signedIn(request)
  const email = await cleanNewAddress(core, request, user, typed)
  await confirmFirst(call)
  await addAddress(core, request, user, email)
  return addresses(call)
}

/** Whether a mail was sent: over its limit, or its quota of a code, none is. */
async function send({ core, request }: ApiCall, listed: ListedAddress): Promise<boolean> {
  try {
    if (listed.id !== null) return (await sendAgain(core, request, signedIn(request), listed)) !== 'not_sent'
    const pending = await pendingEmailCode(core, request)
    return pending !== null && canResendEmailCode(core, pending) && (await resendEmailCode(core, request, pending))
  } catch (error) {
    if (error instanceof AuthError && error.code === 'rate_limited') return false
    throw error
  }
}

async function prefer(call: ApiCall, typed: string, primary: boolean): Promise<ApiAnswer> {
  const { core, request } = call
  const user = signedIn(request)
  const all = await listAddresses(core, request, user)
  const listed = find(all, typed)
  const errors = primary ? [] : refused(call, 'required', 'primary').errors
  if (listed === undefined) throw new InvalidInput([...refused(call, 'unknown_email').errors, ...errors])
  if (!canBePrimary(listed, all)) {
    throw new InvalidInput([...refused(call, 'unverified_primary_email').errors, ...errors])
  }
  if (!primary) throw new InvalidInput(errors)
  await confirmFirst(call)
  await makePrimary(core, request, user, listed)
  return addresses(call)
}

/** One that is not stored yet only waits for its code, and may go at any time. */
async function remove(call: ApiCall, typed: string): Promise<ApiAnswer> {
  const { core, request } = call
  const listed = await own(call, typed)
  const { id } = listed
  if (id !== null) {
    if (!(await core.adapter.canDeleteEmail(request, { ...listed, id }))) {
      throw refused(call, 'cannot_remove_primary_email')
    }
    await confirmFirst(call)
  }
  await removeAddress(core, request, signedIn(request), listed)
  return addresses(call)
}

/** The code that a sign-up waits for, whose address may still be another one. @throws {AuthError} `flow_wrong_stage` */
async function changeable({ core, request }: ApiCall): Promise<PendingEmailCode> {
  const pending = await pendingEmailCode(core, request)
  if (pending === null || !canChangeEmail(core, pending)) throw new AuthError('flow_wrong_stage')
  return pending
}

async function changeAtStage(call: ApiCall, typed: string): Promise<ApiAnswer> {
  const { core, request } = call
  const pending = await changeable(call)
  const changed = await unlessRepeated(call, () => changeEmailAtStage(core, request, pending, typed))
  if (!changed) throw new AuthError('flow_wrong_stage')
  const email = emailCodes(core).current(request)?.email ?? pending.email
  return { kind: 'data', data: shown(await addressesAfter(call, pending, email)) }
}

/** The same for everybody: an address that somebody else has seems to have taken the place of the first one, too. */
async function addressesAfter(
  { core, request }: ApiCall,
  { user, login }: PendingEmailCode,
  email: string,
): Promise<readonly ShownAddress[]> {
  const rows = user === null ? [] : await addressesOf(core, request, user)
  if (rows.some((row) => sameText(row.email) === sameText(email))) return rows
  const first = rows.find((row) => !row.verified && sameText(row.email) === sameText(login?.email ?? ''))
  const primary = first?.primary ?? !rows.some((row) => row.primary)
  const seen = [...rows.filter((row) => row !== first), { email, verified: false, primary }]
  return seen.toSorted((a, b) => Number(b.primary) - Number(a.primary))
}
