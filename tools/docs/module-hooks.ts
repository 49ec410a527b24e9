import type { Core } from '@gatepost/auth'

/** A hook in the words of the manual. */
type Row = readonly [takes: string, answers: string, byDefault: string]

/** Every hook of the modules besides accounts, by the member of `adapters`: the types make sure that none is missing. */
export const MODULE_HOOKS: {
  readonly mfa: Readonly<Record<keyof Core['mfa']['adapter'], Row>>
  readonly headless: Readonly<Record<keyof Core['headless']['adapter'], Row>>
  readonly usersessions: Readonly<Record<keyof Core['userSessions']['adapter'], Row>>
  readonly socialaccount: Readonly<Record<keyof Core['social']['adapter'], Row>>
  readonly oidc: Readonly<Record<keyof Core['oidc']['adapter'], Row>>
} = {
  mfa: {
    getTotpLabel: ['request, user', 'text', 'address, else user name: the account in the authenticator app'],
    getTotpIssuer: ['request', 'text', '`MFA_TOTP_ISSUER`, else the name of the site'],
    buildTotpUrl: ['request, user, secret', 'URL', '`otpauth://totp/…` of label, issuer, digits and period'],
    buildTotpSvg: ['url', 'SVG', 'the QR code of it'],
    encrypt: ['text', 'text', 'what secrets are stored as: sealed with `secretKey`'],
    decrypt: ['text', 'text', 'opens what is sealed; anything else is the secret itself'],
    canDeleteAuthenticator: ['request, authenticator', 'boolean', 'yes'],
    sendNotificationMail: ['request, templatePrefix, user, options', '', 'the hook of accounts of the same name'],
    isMfaEnabled: ['request, user, types', 'boolean', 'whether the user has an authenticator (of these types)'],
    generateAuthenticatorName: ['request, user, type', 'text', '“Master key”, “Backup key”, “Key nr. 3” …'],
    getPublicKeyCredentialRpEntity: ['request', '`{ id, name }`', 'the host of the request, and the name of the site'],
    getPublicKeyCredentialUserEntity: [
      'request, user',
      '`{ id, name, displayName }`',
      'the key of the user, address or user name, and how they are called',
    ],
  },
  headless: {
    serializeUser: [
      'request, user',
      'object',
      '`id`, `display`, `email`, `username`, `has_usable_password`; empty members are left out',
    ],
    getFrontendUrl: ['request, name, params', 'absolute URL or `null`', '`HEADLESS_FRONTEND_URLS`'],
    getUserSchema: ['', 'JSON Schema', 'of the members that `serializeUser` adds, for the description'],
    getClaims: ['user', 'object', 'none: more claims of access tokens; those of the package win'],
  },
  usersessions: {
    endSessions: ['request, sessions', '', 'ends each: the stored session and its row'],
  },
  socialaccount: {
    preSocialLogin: [
      'request, sociallogin',
      '',
      'nothing; it is known who somebody is there, and nothing is stored yet. Throw `ImmediateResponse` to answer otherwise',
    ],
    onAuthenticationError: ['request, error', '', 'nothing; the log has it already'],
    newUser: ['request, sociallogin', 'new user', 'the hook of accounts of the same name'],
    populateUser: ['request, sociallogin, data', 'new user', 'user name, address, first and last name of `data`'],
    saveUser: [
      'request, sociallogin, values',
      'user',
      'stores user, link, tokens, addresses and phone, in the transaction; `values` of the form, `null` without one',
    ],
    isAutoSignupAllowed: ['request, sociallogin', 'boolean', '`SOCIALACCOUNT_AUTO_SIGNUP`'],
    isOpenForSignup: ['request, sociallogin', 'boolean', 'the hook of accounts of the same name'],
    getSignupFormInitialData: ['sociallogin', 'object', '`email`, `username`, `first_name`, `last_name`, `phone`'],
    getConnectRedirectUrl: ['request, account', 'path or URL', 'the page `socialaccount_connections`'],
    validateDisconnect: ['request, account, accounts', '', 'nothing; throw `InvalidInput` to refuse'],
    isEmailVerified: ['provider, email', 'boolean', '`VERIFIED_EMAIL`: counts an address as verified'],
    canAuthenticateByEmail: ['sociallogin, email', 'boolean', '`EMAIL_AUTHENTICATION`, of the app, provider or site'],
    listProviders: ['request', 'providers', 'those with an app that is not hidden'],
    getProvider: ['request, provider, clientId', 'provider', 'by its id, or the id of a sub-provider'],
    listApps: ['request, provider, clientId', 'apps', 'those of the settings and of the database'],
    getApp: ['request, provider, clientId', 'app', 'the only one that is not hidden'],
    getRequestsSession: ['', 'function', '`fetch`: what talks to providers, for a proxy or a test'],
    generateStateParam: ['state', 'text', '16 random characters'],
    serializeInstance: ['sociallogin', 'JSON', 'what the session keeps of a login whose sign-up waits'],
    deserializeInstance: ['request, serialized', 'login or `null`', 'that again'],
    sendNotificationMail: ['request, templatePrefix, user, options', '', 'the hook of accounts of the same name'],
  },
  oidc: {
    scopeDisplay: ['', 'texts by scope', 'what consent pages say; its keys are the scopes that clients may have'],
    generateClientId: ['', 'text', '32 hex digits'],
    generateClientSecret: ['', 'text', '50 random characters'],
    generateUserCode: ['', 'text', 'in the form of `IDP_OIDC_USER_CODE_FORMAT`'],
    hashToken: ['token', 'text', 'SHA-256 in hex: what tokens are stored as'],
    getIssuer: ['origin', 'URL without a slash at its end', 'the origin that the visitor sees'],
    getClaims: ['purpose, user, client, scopes, email', 'claims', 'by [scope](openid-provider.md#scopes-and-claims)'],
    populateIdToken: ['idToken, client, scopes', '', 'nothing; may change the claims in place'],
    populateAccessToken: ['accessToken, { client, scopes, user }', '', 'the same, of tokens in the format `jwt`'],
    getUserSub: ['client, user', 'text', 'the key of the user'],
    getUserBySub: ['client, sub', 'user or `null`', 'that user, if they are active'],
  },
}
