import type { OAuth2Record } from '../oauth2/record.ts'

/** Naver. */
export const naver = {
  id: 'naver',
  name: 'Naver',
  protocol: 'oauth2',
  source: 'https://developers.naver.com/docs/login/api/api.md',
  endpoints: {
    authorize: 'https://nid.naver.com/oauth2.0/authorize',
    token: 'https://nid.naver.com/oauth2.0/token',
    profile: 'https://openapi.naver.com/v1/nid/me',
  },
  profile: { root: 'response' },
  person: { uid: 'id', email: 'email' },
} satisfies OAuth2Record
