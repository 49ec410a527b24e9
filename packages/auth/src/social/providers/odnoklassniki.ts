import type { OAuth2Record } from '../oauth2/record.ts'

const FIELDS =
  'age,birthday,current_status,current_status_date,current_status_id,email,first_name,gender,has_email,' +
  'last_name,locale,location,name,online,photo_id,pic1024x768,pic190x190,pic640x480,pic_1,pic_2,uid'

/** Odnoklassniki; `key` of the app is its public key. */
export const odnoklassniki = {
  id: 'odnoklassniki',
  name: 'Odnoklassniki',
  protocol: 'oauth2',
  source: 'https://apiok.ru/en/ext/oauth/server',
  endpoints: {
    authorize: 'https://www.odnoklassniki.ru/oauth/authorize',
    token: 'https://api.odnoklassniki.ru/oauth/token.do',
    profile: 'https://api.odnoklassniki.ru/fb.do',
  },
  profile: {
    token: { query: 'access_token' },
    query: {
      method: 'users.getCurrentUser',
      fields: FIELDS,
      format: 'JSON',
      application_key: '{app_key}',
    },
    signature: 'odnoklassniki',
  },
  person: { uid: 'uid', email: 'email', firstName: 'first_name', lastName: 'last_name' },
} satisfies OAuth2Record
