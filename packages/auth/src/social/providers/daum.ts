import type { OAuth2Record } from '../oauth2/record.ts'

/** Daum; its id is a capitalised one, in addresses too. */
export const daum = {
  id: 'Daum',
  name: 'Daum',
  protocol: 'oauth2',
  source: 'https://developers.daum.net/services/apis/docs/oauth2.0/intro',
  endpoints: {
    authorize: 'https://apis.daum.net/oauth2/authorize',
    token: 'https://apis.daum.net/oauth2/token',
    profile: 'https://apis.daum.net/user/v1/show.json',
  },
  profile: { token: { query: 'access_token' }, root: 'result' },
  person: { uid: 'id' },
} satisfies OAuth2Record
