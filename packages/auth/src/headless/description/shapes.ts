import { z } from 'zod'
import {
  authenticationMethod,
  authenticator,
  emailAddress,
  flow,
  inputError,
  phoneNumber,
  provider,
  providerAccount,
  recoveryCodes,
  sensitiveRecoveryCodes,
  totp,
  user,
  userSession,
  webauthn,
} from './parts.ts'
import type { ShapeName } from '../../kernel/operations/shape-name.ts'

/** Members that any answer may have in `meta`, of apps alone. */
const tokens = {
  session_token: z
    .string()
    .exactOptional()
    .meta({ description: 'To be kept in the place of the one before, and sent as `X-Session-Token`.' }),
  access_token: z.string().exactOptional().meta({ description: 'To be sent as `Authorization: Bearer`.' }),
  refresh_token: z.string().exactOptional().meta({ description: 'Gives a new access token, one time.' }),
}
const meta = z.strictObject(tokens).exactOptional()
const ok = z.literal(200)

const answer = <Data extends z.ZodType>(data: Data) => z.strictObject({ status: ok, data, meta })

/** Options of `navigator.credentials`, of which only the outline is ours. */
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
      .meta({ description: 'Of older clients: `login_methods` says more.', deprecated: true }),
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

/** Every answer of the JSON API (4.2.2 to 4.2.7 of the reference), its envelope included. */
export const SHAPES = {
  Config: answer(config),
  Authenticated: z.strictObject({
    status: ok,
    data: z.strictObject({ user, methods: z.array(authenticationMethod) }),
    meta: z.strictObject({ is_authenticated: z.literal(true), ...tokens }),
  }),
  AuthenticationFlows: z.strictObject({
    status: z.literal([401, 410]),
    data: z.strictObject({
      flows: z.array(flow),
      user: user.exactOptional().meta({ description: 'Only when the user has to confirm who they are.' }),
      methods: z.array(authenticationMethod).exactOptional(),
    }),
    meta: z.strictObject({ is_authenticated: z.boolean(), ...tokens }),
  }),
  Status: z.strictObject({ status: z.int(), meta }),
  Errors: z.strictObject({ status: z.literal([400, 409]), errors: z.array(inputError).min(1), meta }),
  Refused: z.strictObject({
    status: z.literal(400),
    errors: z.array(inputError).min(1).exactOptional().meta({ description: 'Only when nothing was given.' }),
    meta,
  }),
  EmailVerificationInfo: z.strictObject({
    status: ok,
    data: z.strictObject({ email: z.string(), user }),
    meta: z.strictObject({
      is_authenticating: z.boolean().meta({ description: 'Whether a login waits for this address.' }),
      ...tokens,
    }),
  }),
  PasswordResetInfo: answer(z.strictObject({ user })),
  EmailAddresses: answer(z.array(emailAddress)),
  PhoneNumbers: z.strictObject({ status: z.literal([200, 202]), data: z.array(phoneNumber).max(1), meta }),
  Sessions: answer(z.array(userSession)),
  Authenticators: answer(z.array(authenticator)),
  TotpAuthenticator: answer(totp),
  TotpAdded: z.strictObject({
    status: ok,
    data: totp,
    meta: z.strictObject({ recovery_codes_generated: z.boolean(), ...tokens }),
  }),
  TotpOffer: z.strictObject({
    status: z.literal(404),
    meta: z.strictObject({
      secret: z.string().meta({ description: 'Base32, to be typed where no picture can be read.' }),
      totp_url: z.string().meta({ description: 'To be shown as a QR code.' }),
      ...tokens,
    }),
  }),
  RecoveryCodes: answer(sensitiveRecoveryCodes),
  WebauthnAuthenticator: answer(webauthn),
  WebauthnAdded: z.strictObject({
    status: ok,
    data: webauthn,
    meta: z.strictObject({ recovery_codes_generated: z.boolean(), ...tokens }),
  }),
  CreationOptions: answer(z.strictObject({ creation_options: credentialOptions })),
  RequestOptions: answer(z.strictObject({ request_options: credentialOptions })),
  ProviderAccounts: answer(z.array(providerAccount)),
  ProviderSignup: answer(z.strictObject({ email: z.array(emailAddress), account: providerAccount, user })),
  AccessTokens: answer(z.strictObject({ access_token: z.string(), refresh_token: z.string().exactOptional() })),
} as const satisfies Record<ShapeName, z.ZodType>

/** Parts of answers that stand in the description under names of their own. */
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
