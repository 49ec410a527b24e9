import type { OAuth2Record } from '../oauth2/record.ts'

/** TikTok. Its PKCE, for desktop apps alone, has a challenge in hexadecimal: not that of RFC 7636. */
export const tiktok = {
  id: 'tiktok',
  name: 'TikTok',
  protocol: 'oauth2',
  source: 'https://developers.tiktok.com/doc/login-kit-web',
  endpoints: {
    authorize: 'https://www.tiktok.com/v2/auth/authorize/',
    token: 'https://open.tiktokapis.com/v2/oauth/token/',
    profile: 'https://open.tiktokapis.com/v2/user/info/',
  },
  scopes: ['user.info.basic', 'user.info.profile'],
  scopeDelimiter: ',',
  authorize: { names: { client_id: 'client_key' } },
  pkce: 'off',
  tokenRequest: { names: { client_id: 'client_key' } },
  profile: {
    query: { fields: 'open_id,display_name,avatar_url,username,profile_deep_link' },
    headers: { 'client-id': '{client_id}' },
    root: 'data.user',
  },
  person: { uid: 'open_id', username: ['username', 'display_name'], displayName: 'display_name' },
  variants: [
    {
      when: { withoutScope: 'user.info.profile' },
      use: {
        profile: {
          query: { fields: 'open_id,display_name,avatar_url' },
          headers: { 'client-id': '{client_id}' },
          root: 'data.user',
        },
      },
    },
  ],
} satisfies OAuth2Record
