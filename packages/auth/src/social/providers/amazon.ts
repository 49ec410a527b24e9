import type { OAuth2Record } from '../oauth2/record.ts'
import { firstWord, otherWords } from '../profile/profile-values.ts'

/** Amazon. Older replies have a nested `Profile`. */
export const amazon = {
  id: 'amazon',
  name: 'Amazon',
  protocol: 'oauth2',
  source: 'https://developer.amazon.com/docs/login-with-amazon/authorization-code-grant.html',
  endpoints: {
    authorize: 'https://www.amazon.com/ap/oa',
    token: 'https://api.amazon.com/auth/o2/token',
    profile: 'https://api.amazon.com/user/profile',
  },
  conforms: true,
  scopes: ['profile'],
  profile: { token: { query: 'access_token' } },
  person: {
    uid: ['user_id', 'Profile.CustomerId'],
    email: ['email', 'Profile.PrimaryEmail'],
    firstName: firstWord('name', 'Profile.Name'),
    lastName: otherWords('name', 'Profile.Name'),
  },
} satisfies OAuth2Record
