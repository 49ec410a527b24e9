import type { OAuth2Record } from '../oauth2/record.ts'

/** Yandex. */
export const yandex = {
  id: 'yandex',
  name: 'Yandex',
  protocol: 'oauth2',
  source: 'https://yandex.com/dev/id/doc/en/',
  endpoints: {
    authorize: 'https://oauth.yandex.com/authorize',
    token: 'https://oauth.yandex.ru/token',
    profile: 'https://login.yandex.ru/info',
  },
  scopes: ['login:info'],
  emailScopes: ['login:email'],
  profile: { token: { scheme: 'OAuth' }, query: { format: 'json' } },
  person: {
    uid: 'id',
    email: ['default_email', 'emails[0]'],
    username: 'display_name',
    firstName: 'first_name',
    lastName: 'last_name',
  },
} satisfies OAuth2Record
