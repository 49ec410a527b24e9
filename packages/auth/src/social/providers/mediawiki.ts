import type { OAuth2Record } from '../oauth2/record.ts'

/** MediaWiki. Addresses count once they are confirmed. Its policy asks for a `USER_AGENT` with a contact. */
export const mediawiki = {
  id: 'mediawiki',
  name: 'MediaWiki',
  protocol: 'oauth2',
  source: 'https://www.mediawiki.org/wiki/OAuth/For_Developers',
  endpoints: {
    authorize: '{REST_API}/oauth2/authorize',
    token: '{REST_API}/oauth2/access_token',
    profile: '{REST_API}/oauth2/resource/profile',
  },
  settings: { REST_API: 'https://meta.wikimedia.org/w/rest.php' },
  stored: { only: ['sub', 'username', 'realname', 'email', 'confirmed_email'] },
  person: {
    uid: 'sub',
    email: (profile) => (profile['confirmed_email'] === true ? profile['email'] : undefined),
    emailVerified: 'confirmed_email',
    username: 'username',
    displayName: 'realname',
  },
} satisfies OAuth2Record
