import type { Oidc, Claims, OidcAdapter, OidcAdapterInput } from './oidc.ts'
import type { Account } from '../account/account.ts'
import { createHash } from 'node:crypto'
import { generateCode, randomText } from '../kernel/crypto/random.ts'
import { userIdFromText, userIdText, type User } from '../kernel/users/user.ts'
import { bindHooks } from '../kernel/hooks.ts'

const CLIENT_ID_BYTES = 16
/**
 * Without characters that must be escaped for HTTP Basic (RFC 6749 section 2.3.1) or in a shell, because clients forget
 * to. 50 of 38 characters are 262 bits.
 */
const SECRET_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789-_'
const SECRET_LENGTH = 50

/** The English texts of the default scopes. */
const SCOPE_MESSAGES: OidcAdapter['scopeDisplay'] = {
  openid: 'Confirm your identity',
  email: 'View your email address',
  profile: 'View your name and username',
}

/**
 * Standard scopes that clients of a migrated site may have, but new clients can't be given.
 * @see OpenID Connect Core 1.0 section 11
 */
const STORED_SCOPE_MESSAGES: OidcAdapter['scopeDisplay'] = {
  offline_access: "Access your account while you're away",
}

/** Returns the English text of a scope, a key of the translation catalogs; the scope itself if it has none. */
export function describeScope({ scopeDisplay }: Pick<OidcAdapter, 'scopeDisplay'>, scope: string): string {
  const texts = new Map(Object.entries({ ...STORED_SCOPE_MESSAGES, ...scopeDisplay }))
  return texts.get(scope) ?? scope
}

/**
 * Returns the default hooks, overridden by the host's. The host's scopes are added to the default ones.
 * @param oidc Read only when a hook is called
 */
export function createOidcAdapter(oidc: Oidc, input: OidcAdapterInput | undefined): OidcAdapter {
  const defaults = oidcHooks(oidc)
  const overrides = typeof input === 'function' ? input(defaults) : (input ?? {})
  const scopeDisplay = { ...defaults.scopeDisplay, ...overrides.scopeDisplay }
  const { readOnlyScopes, sensitiveScopes, consentScopes } = { ...defaults, ...overrides }
  const lists = { scopeDisplay, readOnlyScopes, sensitiveScopes, consentScopes }
  return { ...defaults, ...bindHooks(overrides, Object.keys(defaults)), ...lists }
}

/** Returns the default hooks of our OpenID Connect provider. */
const oidcHooks = (oidc: Oidc): OidcAdapter => ({
  scopeDisplay: SCOPE_MESSAGES,
  readOnlyScopes: Object.keys({ ...SCOPE_MESSAGES, ...STORED_SCOPE_MESSAGES }),
  sensitiveScopes: [],
  consentScopes: [],
  generateClientId: () => Buffer.from(oidc.kernel.random(CLIENT_ID_BYTES)).toString('hex'),
  generateClientSecret: () => randomText(oidc.kernel.random, SECRET_ALPHABET, SECRET_LENGTH),
  generateUserCode: () => generateCode(oidc.kernel.settings.idpOidc.userCodeFormat, oidc.kernel.random),
  hashToken: (token) => createHash('sha256').update(token).digest('hex'),
  getIssuer: (origin) => origin.replace(/\/+$/, ''),
  populateIdToken: () => undefined,
  populateAccessToken: () => undefined,
  getClaims: async (_purpose, user, client, scopes, email) => ({
    sub: oidc.adapter.getUserSub(client, user),
    ...(scopes.includes('email') ? await emailClaims(oidc.account, user, email) : {}),
    ...(scopes.includes('profile') ? profileClaims(user) : {}),
  }),
  getUserSub: (_client, user) => userIdText(user.id, oidc.kernel.settings.userTable.idType),
  async getUserBySub(_client, sub) {
    const { settings, users, database } = oidc.kernel
    const id = userIdFromText(sub, settings.userTable.idType)
    const user = id === null ? null : await users.byId(database.db, id)
    return user?.isActive === true ? user : null
  },
})

/**
 * Returns the email claims. A removed address is never disclosed.
 * @param chosen The address chosen on the consent page; if absent, the primary one is used
 */
async function emailClaims(account: Account, user: User, chosen: string | undefined): Promise<Claims> {
  const { db } = account.kernel.database
  const found =
    chosen === undefined
      ? (await account.emails.ofUser(db, user.id)).find(({ primary }) => primary)
      : await account.emails.find(db, user.id, chosen)
  return found === undefined || found === null ? {} : { email: found.email, email_verified: found.verified }
}

/** Returns the profile claims that aren't empty. @see OpenID Connect Core 1.0 section 5.1 */
function profileClaims({ firstName, lastName, username }: User): Claims {
  const claims = {
    name: `${firstName} ${lastName}`.trim(),
    given_name: firstName,
    family_name: lastName,
    preferred_username: username,
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== ''))
}
