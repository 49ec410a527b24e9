import type { Account } from '../../account/account.ts'
import type { Oidc, PendingAuthorization } from '../oidc.ts'
import type { InputError } from '../../errors.ts'
import type { BoundField, BoundForm } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { User } from '../../kernel/users/user.ts'

/** Field of one scope: forms of ours have one value by name. */
const fieldOf = (scope: string): string => `scope_${scope}`
const EMAIL_FIELD = 'email'

/** One of the addresses that a person may show to a client. */
export interface OfferedAddress {
  readonly id: string
  readonly email: string
  readonly checked: boolean
}

/** The verified addresses, the primary one first; none when there is nothing to choose. */
export async function verifiedAddresses(
  account: Account,
  request: Visit,
  user: User,
): Promise<readonly OfferedAddress[]> {
  const own = (await account.emails.ofUser(request.db, user.id)).filter(({ verified }) => verified)
  if (own.length < 2) return []
  const chosen = request.form.get(EMAIL_FIELD)
  const sorted = own.toSorted(
    (a, b) => Number(b.primary) - Number(a.primary) || a.email.localeCompare(b.email, request.language),
  )
  const [first] = sorted
  const selected = sorted.find(({ email }) => email === chosen) ?? first
  return sorted.map(({ id, email }) => ({ id: `id_email_${id}`, email, checked: email === selected?.email }))
}

/**
 * What the client asks for, each with a box that is ticked.
 * @param errors Of what was given before: the boxes are then as they were left.
 */
export function consentForm(
  oidc: Oidc,
  request: Visit,
  pending: PendingAuthorization,
  errors: readonly InputError[] = [],
): BoundForm {
  const given = new Set(errors.length > 0 ? ticked(request, pending) : pending.scopes)
  const { scopeDisplay } = oidc.adapter
  const fields = pending.scopes.map(
    (scope): BoundField => ({
      name: fieldOf(scope),
      id: `id_${fieldOf(scope)}`,
      label: Object.hasOwn(scopeDisplay, scope) ? (scopeDisplay[scope] ?? scope) : scope,
      type: 'checkbox',
      required: false,
      value: given.has(scope),
      errors: [],
    }),
  )
  return { fields, errors: errors.map((error) => (error.code === 'required' ? NOTHING_CHOSEN : error)) }
}

const NOTHING_CHOSEN: InputError = { code: 'required', message: 'Select at least one permission, or deny the request.' }

const ticked = ({ form }: Visit, { scopes }: PendingAuthorization): readonly string[] =>
  scopes.filter((scope) => form.has(fieldOf(scope)))

/** What a person has ticked, and the address that they have chosen. */
export function givenConsent(
  request: Visit,
  pending: PendingAuthorization,
): { readonly scopes: readonly string[]; readonly email?: string } {
  const scopes = ticked(request, pending)
  const email = scopes.includes('email') ? (request.form.get(EMAIL_FIELD) ?? '') : ''
  return { scopes, ...(email === '' ? {} : { email }) }
}
