import type { OAuth2Record } from '../oauth2/record.ts'

/** Questrade: the token reply tells the host of the API. */
export const questrade = {
  id: 'questrade',
  name: 'Questrade',
  protocol: 'oauth2',
  source: 'https://www.questrade.com/api/documentation/authorization',
  endpoints: {
    authorize: 'https://login.questrade.com/oauth2/authorize',
    token: 'https://login.questrade.com/oauth2/token',
    profile: '{token.api_server}v1/accounts',
  },
  profile: { hosts: ['questrade.com'] },
  person: { uid: 'userId' },
} satisfies OAuth2Record
