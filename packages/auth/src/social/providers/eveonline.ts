import type { OAuth2Record } from '../oauth2/record.ts'

/** EVE Online. */
export const eveonline = {
  id: 'eveonline',
  name: 'EVE Online',
  protocol: 'oauth2',
  source: 'https://docs.esi.evetech.net/docs/sso/',
  endpoints: {
    authorize: 'https://login.eveonline.com/oauth/authorize',
    token: 'https://login.eveonline.com/oauth/token',
    profile: 'https://login.eveonline.com/oauth/verify',
  },
  tokenScopes: ['publicData'],
  person: { uid: 'CharacterOwnerHash', displayName: 'CharacterName' },
} satisfies OAuth2Record
