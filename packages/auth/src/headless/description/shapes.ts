import { z } from 'zod'
import type { ShapeName } from '../../kernel/operations/declaration.ts'

/** Fractional seconds since the Unix epoch. */
const seconds = z.number().meta({ description: 'Seconds since the Unix epoch.', examples: [1_767_225_600.25] })

/** A user. Hosts may add members (`getUserSchema` of the adapter). */
const user = z
  .strictObject({
    id: z.union([z.int(), z.string()]).exactOptional(),
    display: z.string(),
    email: z.string().exactOptional(),
    username: z.string().exactOptional(),
    has_usable_password: z.boolean(),
  })
  .meta({ description: 'A user. Members without a value are omitted.' })

/** A user who isn't stored yet. Without a username, there's nothing to display. */
const newUser = user
  .extend({ display: z.string().exactOptional() })
  .meta({ description: "A user who isn't stored yet." })

const authenticatorType = z.enum(['totp', 'recovery_codes', 'webauthn'])

/** How a user authenticated (reference, section 2.11). */
const authenticationMethod = z
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
  .meta({ description: 'How the user authenticated.' })

/** A provider to sign in with. */
const provider = z.strictObject({
  id: z.string(),
  name: z.string(),
  flows: z.array(z.enum(['provider_redirect', 'provider_token'])),
  client_id: z.string().exactOptional(),
  openid_configuration_url: z.string().exactOptional(),
})

/** A step that the visitor can or must take. */
const flow = z
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
  .meta({ description: 'A step that the visitor can take or, with `is_pending`, must take next.' })

/** An error in the input. */
const inputError = z
  .strictObject({
    code: z.string().meta({ description: 'Stable; see the list of codes.', examples: ['incorrect_code'] }),
    message: z.string().meta({ description: "In the visitor's language.", examples: ['Incorrect code.'] }),
    param: z.string().exactOptional().meta({ description: 'The affected member.' }),
  })
  .meta({ description: 'An error in the input.' })

/** A user's email address. */
const emailAddress = z.strictObject({ email: z.string(), verified: z.boolean(), primary: z.boolean() })

/** A user's phone number in E.164 format. */
const phoneNumber = z.strictObject({ phone: z.string(), verified: z.boolean() })

/** A session of the user. */
const userSession = z.strictObject({
  id: z.int(),
  user_agent: z.string(),
  ip: z.string(),
  created_at: seconds,
  is_current: z.boolean(),
  last_seen_at: seconds.exactOptional(),
})

/** An account at a provider. */
const providerAccount = z.strictObject({ uid: z.string(), provider, display: z.string() })

const used = { created_at: seconds, last_used_at: seconds.nullable() }

/** An authenticator app. */
const totp = z.strictObject({ type: z.literal('totp'), ...used })

const codes = {
  type: z.literal('recovery_codes'),
  ...used,
  total_code_count: z.int().min(0),
  unused_code_count: z.int().min(0),
}

/** A set of recovery codes, without the codes. */
const recoveryCodes = z.strictObject(codes)

/** A set of recovery codes, with the codes unless they were shown before. */
const sensitiveRecoveryCodes = z.strictObject({
  ...codes,
  unused_codes: z
    .array(z.string())
    .exactOptional()
    .meta({ description: 'Omitted if they can be shown only once and have been.' }),
})

/** A security key or passkey. */
const webauthn = z.strictObject({
  type: z.literal('webauthn'),
  id: z.int(),
  name: z.string(),
  is_passwordless: z.boolean().exactOptional().meta({ description: 'Omitted if unknown.' }),
  ...used,
})

/** An authenticator of any type. */
const authenticator = z.discriminatedUnion('type', [totp, recoveryCodes, webauthn])

/** Members of `meta` that any response to an app can have. */
const tokens = {
  session_token: z
    .string()
    .exactOptional()
    .meta({ description: 'Replaces the previous one. Send it as `X-Session-Token`.' }),
  access_token: z.string().exactOptional().meta({ description: 'Send it as `Authorization: Bearer`.' }),
  refresh_token: z.string().exactOptional().meta({ description: 'For getting a new access token; works once.' }),
}
const meta = z.strictObject(tokens).exactOptional()
const ok = z.literal(200)

const okResponse = <Data extends z.ZodType>(data: Data) => z.strictObject({ status: ok, data, meta })

/** Options for `navigator.credentials`, described only in part. */
const credentialOptions = z.strictObject({ publicKey: z.looseObject({ challenge: z.string() }) })

const config = z.strictObject({
  account: z.strictObject({
    login_methods: z.array(z.enum(['username', 'email', 'phone'])),
    is_open_for_signup: z.boolean(),
    email_verification_by_code_enabled: z.boolean(),
    login_by_code_enabled: z.boolean(),
    password_reset_by_code_enabled: z.boolean(),
    authentication_method: z
      .enum(['email', 'username', 'username_email'])
      .exactOptional()
      .meta({ description: 'For older clients; use `login_methods`.', deprecated: true }),
  }),
  socialaccount: z.strictObject({ providers: z.array(provider) }).exactOptional(),
  mfa: z
    .strictObject({
      supported_types: z.array(z.enum(['recovery_codes', 'totp', 'webauthn'])),
      passkey_login_enabled: z.boolean(),
    })
    .exactOptional(),
  usersessions: z.strictObject({ track_activity: z.boolean() }).exactOptional(),
})

/** The responses of the JSON API, including the envelope (reference, sections 4.2.2 to 4.2.7). */
export const SHAPES = {
  Config: okResponse(config),
  Authenticated: z.strictObject({
    status: ok,
    data: z.strictObject({ user, methods: z.array(authenticationMethod) }),
    meta: z.strictObject({ is_authenticated: z.literal(true), ...tokens }),
  }),
  AuthenticationFlows: z.strictObject({
    status: z.literal([401, 410]),
    data: z.strictObject({
      flows: z.array(flow),
      user: user.exactOptional().meta({ description: 'Only if the user must confirm their identity.' }),
      methods: z.array(authenticationMethod).exactOptional(),
    }),
    meta: z.strictObject({ is_authenticated: z.boolean(), ...tokens }),
  }),
  Status: z.strictObject({ status: z.int(), meta }),
  Errors: z.strictObject({ status: z.literal(400), errors: z.array(inputError).min(1), meta }),
  Conflict: z.strictObject({
    status: z.literal(409),
    errors: z
      .array(inputError)
      .min(1)
      .exactOptional()
      .meta({ description: 'Missing if other requests changed the session at the same time.' }),
    meta,
  }),
  Refused: z.strictObject({
    status: z.literal(400),
    errors: z.array(inputError).min(1).exactOptional().meta({ description: 'Only if no token was sent.' }),
    meta,
  }),
  EmailVerificationInfo: z.strictObject({
    status: ok,
    data: z.strictObject({ email: z.string(), user }),
    meta: z.strictObject({
      is_authenticating: z.boolean().meta({ description: 'Whether a sign-in is waiting for this address.' }),
      ...tokens,
    }),
  }),
  PasswordResetInfo: okResponse(z.strictObject({ user })),
  EmailAddresses: okResponse(z.array(emailAddress)),
  PhoneNumbers: z.strictObject({ status: z.literal([200, 202]), data: z.array(phoneNumber).max(1), meta }),
  Sessions: okResponse(z.array(userSession)),
  Authenticators: okResponse(z.array(authenticator)),
  TotpAuthenticator: okResponse(totp),
  TotpAdded: z.strictObject({
    status: ok,
    data: totp,
    meta: z.strictObject({ recovery_codes_generated: z.boolean(), ...tokens }),
  }),
  TotpOffer: z.strictObject({
    status: z.literal(404),
    meta: z.strictObject({
      secret: z.string().meta({ description: 'Base32, for entering by hand.' }),
      totp_url: z.string().meta({ description: 'For a QR code.' }),
      ...tokens,
    }),
  }),
  RecoveryCodes: okResponse(sensitiveRecoveryCodes),
  WebauthnAuthenticator: okResponse(webauthn),
  WebauthnAdded: z.strictObject({
    status: ok,
    data: webauthn,
    meta: z.strictObject({ recovery_codes_generated: z.boolean(), ...tokens }),
  }),
  CreationOptions: okResponse(z.strictObject({ creation_options: credentialOptions })),
  RequestOptions: okResponse(z.strictObject({ request_options: credentialOptions })),
  ProviderAccounts: okResponse(z.array(providerAccount)),
  ProviderSignup: okResponse(z.strictObject({ email: z.array(emailAddress), account: providerAccount, user: newUser })),
  AccessTokens: okResponse(z.strictObject({ access_token: z.string(), refresh_token: z.string().exactOptional() })),
} as const satisfies Record<ShapeName, z.ZodType>

/** Parts of responses that have their own schema in the API description. */
export const PARTS = {
  User: user,
  AuthenticationMethod: authenticationMethod,
  Flow: flow,
  Provider: provider,
  Error: inputError,
  EmailAddress: emailAddress,
  PhoneNumber: phoneNumber,
  Session: userSession,
  ProviderAccount: providerAccount,
  Totp: totp,
  RecoveryCodeSet: recoveryCodes,
  SensitiveRecoveryCodes: sensitiveRecoveryCodes,
  Webauthn: webauthn,
  Authenticator: authenticator,
} as const satisfies Record<string, z.ZodType>
