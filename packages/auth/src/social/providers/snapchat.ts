import type { OAuth2Record } from '../oauth2/record.ts'

/** Snapchat; its API speaks GraphQL. */
export const snapchat = {
  id: 'snapchat',
  name: 'Snapchat',
  protocol: 'oauth2',
  source: 'https://developers.snap.com/snap-kit/login-kit/Tutorials/web',
  endpoints: {
    authorize: 'https://accounts.snapchat.com/accounts/oauth2/auth',
    token: 'https://accounts.snapchat.com/accounts/oauth2/token',
    profile: 'https://api.snapkit.com/v1/me',
  },
  scopes: [
    'https://auth.snapchat.com/oauth2/api/user.external_id',
    'https://auth.snapchat.com/oauth2/api/user.display_name',
  ],
  profile: { method: 'POST', json: { query: '{ me { externalId displayName } }' } },
  person: { uid: 'data.me.externalId', displayName: 'data.me.displayName' },
  variants: [
    {
      when: { scope: 'https://auth.snapchat.com/oauth2/api/user.bitmoji.avatar' },
      use: {
        profile: { method: 'POST', json: { query: '{ me { externalId displayName bitmoji { avatar id } } }' } },
      },
    },
  ],
} satisfies OAuth2Record
