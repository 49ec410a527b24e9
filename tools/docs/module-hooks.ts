import type { HeadlessAdapter } from '@gatepost/auth/headless'
import type { MfaAdapter } from '@gatepost/auth/mfa'
import type { OidcAdapter } from '@gatepost/auth/oidc'
import type { SocialAdapter } from '@gatepost/auth/social'
import type { UserSessionsAdapter } from '@gatepost/auth/sessions'

/** A hook as the manual describes it. */
type Row = readonly [takes: string, returns: string, byDefault: string]

/** Every hook of the modules besides accounts, by the member of `adapters`. The types require all of them. */
export const MODULE_HOOKS: {
  readonly mfa: Readonly<Record<keyof MfaAdapter, Row>>
  readonly headless: Readonly<Record<keyof HeadlessAdapter, Row>>
  readonly usersessions: Readonly<Record<keyof UserSessionsAdapter, Row>>
  readonly socialaccount: Readonly<Record<keyof SocialAdapter, Row>>
  readonly oidc: Readonly<Record<keyof OidcAdapter, Row>>
} = {
  mfa: {
    getTotpLabel: ['request, user', 'text', 'The account name in the authenticator app: email address, else username'],
    getTotpIssuer: ['request', 'text', '`MFA_TOTP_ISSUER`, else the site name'],
    buildTotpUrl: ['request, user, secret', 'URL', '`otpauth://totp/…` with label, issuer, digits, and period'],
    buildTotpSvg: ['url', 'SVG', 'The QR code of the URL'],
    encrypt: ['text', 'text', "Encrypts secrets with `secretKey` before they're stored"],
    decrypt: ['text', 'text', 'Decrypts encrypted values; returns anything else unchanged'],
    canDeleteAuthenticator: ['request, authenticator', 'boolean', 'Yes'],
    sendNotificationMail: ['request, templatePrefix, user, options', '', 'The account hook of the same name'],
    isMfaEnabled: ['request, user, types', 'boolean', 'Whether the user has an authenticator (of these types)'],
    generateAuthenticatorName: ['request, user, type', 'text', '"Main key", "Backup key", "Key 3" …'],
    getPublicKeyCredentialRpEntity: ['request', '`{ id, name }`', "The request's host and the site name"],
    getPublicKeyCredentialUserEntity: [
      'request, user',
      '`{ id, name, displayName }`',
      "The user's key, email address or username, and display name",
    ],
  },
  headless: {
    serializeUser: [
      'request, user',
      'object',
      '`id`, `display`, `email`, `username`, `has_usable_password`; empty members are omitted',
    ],
    getFrontendUrl: ['request, name, params', 'absolute URL or `null`', '`HEADLESS_FRONTEND_URLS`'],
    getUserSchema: ['', 'JSON Schema', 'For the OpenAPI document: the schema of what `serializeUser` adds'],
    getClaims: ['user', 'object', "None. Adds claims to access tokens; the package's own claims win"],
  },
  usersessions: {
    endSessions: ['request, sessions', '', 'Ends each session and deletes its row'],
  },
  socialaccount: {
    preSocialLogin: [
      'request, sociallogin',
      '',
      'Nothing. The provider has identified the user and nothing is stored yet. Throw `ImmediateResponse` to respond differently',
    ],
    onAuthenticationError: ['request, error', '', 'Nothing. The error is already logged'],
    newUser: ['request, sociallogin', 'new user', 'The account hook of the same name'],
    populateUser: [
      'request, sociallogin, data',
      'new user',
      'Username, email address, first and last name from `data`',
    ],
    saveUser: [
      'request, sociallogin, values',
      'user',
      'Stores the user, connection, tokens, email addresses, and phone number in the transaction. `values` are those of the form, or `null` without one',
    ],
    isAutoSignupAllowed: ['request, sociallogin', 'boolean', '`SOCIALACCOUNT_AUTO_SIGNUP`'],
    isOpenForSignup: ['request, sociallogin', 'boolean', 'The account hook of the same name'],
    getSignupFormInitialData: ['sociallogin', 'object', '`email`, `username`, `first_name`, `last_name`, `phone`'],
    getConnectRedirectUrl: ['request, account', 'path or URL', 'The page `socialaccount_connections`'],
    validateDisconnect: ['request, account, accounts', '', 'Nothing. Throw `InvalidInput` to refuse'],
    isEmailVerified: ['provider, email', 'boolean', '`VERIFIED_EMAIL`: whether an address counts as verified'],
    canAuthenticateByEmail: ['sociallogin, email', 'boolean', '`EMAIL_AUTHENTICATION` of the app, provider, or site'],
    listProviders: ['request', 'providers', "Those with an app that isn't hidden"],
    getProvider: ['request, provider, clientId', 'provider', 'By its ID, or the ID of a sub-provider'],
    listApps: ['request, provider, clientId', 'apps', 'Those in the settings and the database'],
    getApp: ['request, provider, clientId', 'app', "The only one that isn't hidden"],
    getRequestsSession: [
      '',
      'function',
      '`fetch`. Calls to providers go through it, for example for a proxy or a test',
    ],
    generateStateParam: ['state', 'text', '16 random characters'],
    serializeInstance: ['sociallogin', 'JSON', 'What the session stores while a sign-up is being completed'],
    deserializeInstance: ['request, serialized', 'login or `null`', 'Restores it'],
    sendNotificationMail: ['request, templatePrefix, user, options', '', 'The account hook of the same name'],
  },
  oidc: {
    scopeDisplay: ['', 'texts by scope', 'What consent pages display. The keys are the scopes that clients can have'],
    readOnlyScopes: [
      '',
      'scopes',
      'Scopes that a device can get through a link with its code. Others require the user to type the code',
    ],
    sensitiveScopes: [
      '',
      'scopes',
      'Scopes that a device gets only after recent authentication, with the second factor if the user has one',
    ],
    consentScopes: ['', 'scopes', 'None. Scopes that clients which skip consent never have'],
    generateClientId: ['', 'text', '32 hex digits'],
    generateClientSecret: ['', 'text', '50 random characters'],
    generateUserCode: ['', 'text', 'In the format of `IDP_OIDC_USER_CODE_FORMAT`'],
    hashToken: ['token', 'text', 'SHA-256 in hex, the form in which tokens are stored'],
    getIssuer: ['origin', 'URL without a trailing slash', 'The public origin'],
    getClaims: ['purpose, user, client, scopes, email', 'claims', 'By [scope](openid-provider.md#scopes-and-claims)'],
    populateIdToken: ['idToken, client, scopes', '', 'Nothing. Can modify the claims in place'],
    populateAccessToken: ['accessToken, { client, scopes, user }', '', 'Same, for tokens in `jwt` format'],
    getUserSub: ['client, user', 'text', "The user's key"],
    getUserBySub: ['client, sub', 'user or `null`', 'The user, if active'],
  },
}
