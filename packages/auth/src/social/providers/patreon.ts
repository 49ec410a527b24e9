import type { OAuth2Record } from '../oauth2/record.ts'

const API_V2 = 'https://www.patreon.com/api/oauth2/v2'
const USER_FIELDS = 'email,first_name,full_name,image_url,last_name,social_connections,thumb_url,url,vanity'

/** Patreon; version 2 of its API tells the pledge of a member too. */
export const patreon = {
  id: 'patreon',
  name: 'Patreon',
  protocol: 'oauth2',
  source: 'https://docs.patreon.com/#oauth',
  endpoints: {
    authorize: 'https://www.patreon.com/oauth2/authorize',
    token: 'https://www.patreon.com/api/oauth2/token',
    profile: 'https://www.patreon.com/api/oauth2/api/current_user',
  },
  scopes: ['pledges-to-me', 'users', 'my-campaign'],
  profile: { root: 'data' },
  person: {
    uid: 'id',
    email: 'attributes.email',
    firstName: 'attributes.first_name',
    lastName: 'attributes.last_name',
    displayName: 'attributes.full_name',
  },
  variants: [
    {
      when: { setting: 'VERSION', is: 'v2' },
      use: {
        endpoints: {
          authorize: 'https://www.patreon.com/oauth2/authorize',
          token: 'https://www.patreon.com/api/oauth2/token',
          profile: `${API_V2}/identity?include=memberships&fields%5Buser%5D=${USER_FIELDS}`,
        },
        scopes: ['identity', 'identity[email]', 'campaigns', 'campaigns.members'],
        further: [
          {
            when: 'always',
            url: `${API_V2}/members/{profile.relationships.memberships.data[0].id}?include=currently_entitled_tiers&fields%5Btier%5D=title`,
            root: 'included[0].attributes.title',
            into: 'pledge_level',
            optional: 'any',
          },
        ],
      },
    },
  ],
} satisfies OAuth2Record
