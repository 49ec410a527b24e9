import { z } from 'zod'

/** Seconds since the Unix epoch, with fraction. */
const seconds = z.number().meta({ description: 'Seconds since the Unix epoch.', examples: [1_767_225_600.25] })

/** A user. Hosts may add members (`getUserSchema` of the adapter). */
export const user = z
  .strictObject({
    id: z.union([z.int(), z.string()]).exactOptional(),
    display: z.string(),
    email: z.string().exactOptional(),
    username: z.string().exactOptional(),
    has_usable_password: z.boolean(),
  })
  .meta({ description: 'Somebody with an account. Members without a value are left out.' })

const authenticatorType = z.enum(['totp', 'recovery_codes', 'webauthn'])

/** How somebody has proved who they are (2.11 of the reference). */
export const authenticationMethod = z
  .discriminatedUnion('method', [
    z.strictObject({
      method: z.literal('password'),
      at: seconds,
      email: z.string().exactOptional(),
      username: z.string().exactOptional(),
      phone: z.string().exactOptional(),
      reauthenticated: z.literal(true).exactOptional(),
    }),
    z.strictObject({
      method: z.literal('code'),
      at: seconds,
      email: z.string().exactOptional(),
      phone: z.string().exactOptional(),
    }),
    z.strictObject({
      method: z.literal('mfa'),
      at: seconds,
      id: z.int(),
      type: authenticatorType,
      reauthenticated: z.literal(true).exactOptional(),
      passwordless: z.literal(true).exactOptional(),
    }),
    z.strictObject({ method: z.literal('socialaccount'), at: seconds, provider: z.string(), uid: z.string() }),
    z.strictObject({
      method: z.literal('password_reset'),
      at: seconds,
      email: z.string().exactOptional(),
      phone: z.string().exactOptional(),
    }),
  ])
  .meta({ description: 'How the user has proved who they are.' })

/** A provider to sign in with. */
export const provider = z.strictObject({
  id: z.string(),
  name: z.string(),
  flows: z.array(z.enum(['provider_redirect', 'provider_token'])),
  client_id: z.string().exactOptional(),
  openid_configuration_url: z.string().exactOptional(),
})

/** A step that a visitor may or must take. */
export const flow = z
  .discriminatedUnion('id', [
    z.strictObject({ id: z.enum(['login', 'signup', 'mfa_login_webauthn', 'reauthenticate']) }),
    z.strictObject({ id: z.literal('login_by_code'), is_pending: z.literal(true).exactOptional() }),
    z.strictObject({ id: z.enum(['provider_redirect', 'provider_token']), providers: z.array(z.string()) }),
    z.strictObject({ id: z.literal('provider_signup'), provider, is_pending: z.literal(true) }),
    z.strictObject({
      id: z.enum(['verify_email', 'verify_phone', 'mfa_trust', 'mfa_signup_webauthn']),
      is_pending: z.literal(true),
    }),
    z.strictObject({
      id: z.literal('mfa_authenticate'),
      is_pending: z.literal(true),
      types: z.array(authenticatorType),
    }),
    z.strictObject({ id: z.literal('password_reset_by_code'), is_pending: z.boolean() }),
    z.strictObject({ id: z.literal('mfa_reauthenticate'), types: z.array(authenticatorType) }),
  ])
  .meta({ description: 'A step that is open to the visitor; with `is_pending` the one that is waited for.' })

/** One thing that is wrong with what was sent. */
export const inputError = z
  .strictObject({
    code: z.string().meta({ description: 'Stable; see the list of codes.', examples: ['incorrect_code'] }),
    message: z.string().meta({ description: 'In the language of the visitor.', examples: ['Incorrect code.'] }),
    param: z.string().exactOptional().meta({ description: 'The member that it is about.' }),
  })
  .meta({ description: 'One thing that is wrong with what was sent.' })

/** An address of a user. */
export const emailAddress = z.strictObject({ email: z.string(), verified: z.boolean(), primary: z.boolean() })

/** A phone number of a user, in the form of E.164. */
export const phoneNumber = z.strictObject({ phone: z.string(), verified: z.boolean() })

/** Where a user is signed in. */
export const userSession = z.strictObject({
  id: z.int(),
  user_agent: z.string(),
  ip: z.string(),
  created_at: seconds,
  is_current: z.boolean(),
  last_seen_at: seconds.exactOptional(),
})

/** An account at a provider. */
export const providerAccount = z.strictObject({ uid: z.string(), provider, display: z.string() })

const used = { created_at: seconds, last_used_at: seconds.nullable() }

/** An authenticator app. */
export const totp = z.strictObject({ type: z.literal('totp'), ...used })

const codes = {
  type: z.literal('recovery_codes'),
  ...used,
  total_code_count: z.int().min(0),
  unused_code_count: z.int().min(0),
}

/** A set of recovery codes, without the codes. */
export const recoveryCodes = z.strictObject(codes)

/** A set of recovery codes, with the codes unless they were shown before. */
export const sensitiveRecoveryCodes = z.strictObject({
  ...codes,
  unused_codes: z
    .array(z.string())
    .exactOptional()
    .meta({ description: 'Absent when they may be shown one time only, and were.' }),
})

/** A security key or passkey. */
export const webauthn = z.strictObject({
  type: z.literal('webauthn'),
  id: z.int(),
  name: z.string(),
  is_passwordless: z.boolean().exactOptional().meta({ description: 'Absent when it is not known.' }),
  ...used,
})

/** One of them. */
export const authenticator = z.discriminatedUnion('type', [totp, recoveryCodes, webauthn])
