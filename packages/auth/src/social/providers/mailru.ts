import type { OAuth2Record } from '../oauth2/record.ts'

/** Mail.Ru; its API is called with a signature in place of the token. */
export const mailru = {
  id: 'mailru',
  name: 'Mail.RU',
  protocol: 'oauth2',
  source: 'https://api.mail.ru/docs/guides/oauth/sites/',
  endpoints: {
    authorize: 'https://connect.mail.ru/oauth/authorize',
    token: 'https://connect.mail.ru/oauth/token',
    profile: 'https://www.appsmail.ru/platform/api',
  },
  profile: {
    token: 'nowhere',
    query: { method: 'users.getInfo', app_id: '{client_id}', secure: '1', uids: '{token.x_mailru_vid}' },
    signature: 'mailru',
    root: '[0]',
  },
  person: { uid: 'uid', email: 'email', username: 'nick', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
