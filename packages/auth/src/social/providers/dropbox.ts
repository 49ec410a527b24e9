import type { OAuth2Record } from '../oauth2/record.ts'

/** Dropbox. */
export const dropbox = {
  id: 'dropbox',
  name: 'Dropbox',
  protocol: 'oauth2',
  source: 'https://www.dropbox.com/developers/documentation/http/documentation#authorization',
  endpoints: {
    authorize: 'https://www.dropbox.com/oauth2/authorize',
    token: 'https://api.dropbox.com/oauth2/token',
    profile: 'https://api.dropbox.com/2/users/get_current_account',
  },
  conforms: true,
  profile: { method: 'POST' },
  person: { uid: 'account_id', email: 'email', displayName: 'name.display_name' },
} satisfies OAuth2Record
