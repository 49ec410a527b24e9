import type { OAuth2Record } from '../oauth2/record.ts'

/** LINE. Who asks for the address is told it in the id token alone, which LINE verifies itself. */
export const line = {
  id: 'line',
  name: 'Line',
  protocol: 'oauth2',
  source: 'https://developers.line.biz/en/docs/line-login/integrate-line-login/',
  endpoints: {
    authorize: 'https://access.line.me/oauth2/v2.1/authorize',
    token: 'https://api.line.me/oauth2/v2.1/token',
    profile: 'https://api.line.me/v2/profile',
  },
  person: {
    uid: ['userId', 'sub'],
    email: 'email',
    username: ['email', 'userId', 'sub'],
    firstName: 'first_name',
    lastName: 'last_name',
    displayName: 'name',
  },
  variants: [
    {
      when: { scope: 'email' },
      use: {
        endpoints: {
          authorize: 'https://access.line.me/oauth2/v2.1/authorize',
          token: 'https://api.line.me/oauth2/v2.1/token',
          profile: 'https://api.line.me/oauth2/v2.1/verify',
        },
        profile: {
          method: 'POST',
          token: 'nowhere',
          form: { client_id: '{client_id}', id_token: '{token.id_token}' },
        },
      },
    },
  ],
} satisfies OAuth2Record
