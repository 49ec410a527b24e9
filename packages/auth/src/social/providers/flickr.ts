import type { OAuth1Record } from '../oauth1/record.ts'

/** Flickr, OAuth 1.0a. */
export const flickr = {
  id: 'flickr',
  name: 'Flickr',
  protocol: 'oauth1',
  source: 'https://www.flickr.com/services/api/auth.oauth.html',
  requestTokenUrl: 'https://www.flickr.com/services/oauth/request_token',
  authorizeUrl: 'https://www.flickr.com/services/oauth/authorize',
  accessTokenUrl: 'https://www.flickr.com/services/oauth/access_token',
  authorizeParams: { perms: 'read' },
  profile: {
    before: {
      url: 'https://api.flickr.com/services/rest?method=flickr.test.login&nojsoncallback=1&format=json',
      value: 'user.id',
      param: 'user_id',
    },
    url: 'https://api.flickr.com/services/rest?method=flickr.people.getInfo&nojsoncallback=1&format=json',
  },
  person: {
    uid: 'person.nsid',
    email: 'email-address',
    username: 'person.username._content',
    displayName: 'person.realname._content',
  },
} satisfies OAuth1Record
