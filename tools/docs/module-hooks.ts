import type { Core } from '@gatepost/auth'

/** A hook in the words of the manual. */
type Row = readonly [takes: string, answers: string, byDefault: string]

/** Every hook of the modules besides accounts, by the member of `adapters`: the types make sure that none is missing. */
export const MODULE_HOOKS: {
  readonly mfa: Readonly<Record<keyof Core['mfa']['adapter'], Row>>
  readonly headless: Readonly<Record<keyof Core['headless']['adapter'], Row>>
  readonly usersessions: Readonly<Record<keyof Core['userSessions']['adapter'], Row>>
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
}
