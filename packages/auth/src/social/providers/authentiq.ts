import type { OAuth2Record } from '../oauth2/record.ts'

/** What is stored of a profile. */
const CLAIMS =
  'sub name given_name family_name middle_name nickname preferred_username profile picture website email email_verified ' +
  'gender birthdate zoneinfo locale phone_number phone_number_verified address updated_at aq:location'

/** Authentiq; `~rs` asks for an address that is there (required) and verified (signed). */
export const authentiq = {
  id: 'authentiq',
  name: 'Authentiq',
  protocol: 'oauth2',
  source: 'https://www.authentiq.com/developers/',
  endpoints: {
    authorize: '{PROVIDER_URL}/authorize',
    token: '{PROVIDER_URL}/token',
    profile: '{PROVIDER_URL}/userinfo',
  },
  settings: { PROVIDER_URL: 'https://connect.authentiq.io' },
  scopes: ['aq:name', 'aq:push'],
  emailScopes: ['email'],
  requiredScopes: ['openid'],
  scopeNames: { email: 'email~rs' },
  reauthenticate: { prompt: 'select_account' },
  stored: { only: CLAIMS.split(' ') },
  person: {
    uid: 'sub',
    email: 'email',
    emailVerified: 'email_verified',
    username: ['preferred_username', 'given_name'],
    firstName: 'given_name',
    lastName: 'family_name',
    displayName: 'name',
  },
} satisfies OAuth2Record
