import type { OAuth2Record } from '../oauth2/record.ts'
import { joinTexts } from '../profile/profile-values.ts'

/** Untappd; it wants a `USER_AGENT` that tells the app. */
export const untappd = {
  id: 'untappd',
  name: 'Untappd',
  protocol: 'oauth2',
  source: 'https://untappd.com/api/docs#authentication',
  endpoints: {
    authorize: 'https://untappd.com/oauth/authenticate/',
    token: 'https://untappd.com/oauth/authorize/',
    profile: 'https://api.untappd.com/v4/user/info/',
  },
  authorize: { names: { redirect_uri: 'redirect_url' } },
  tokenRequest: { method: 'GET', names: { redirect_uri: 'redirect_url' }, params: { response_type: 'code' } },
  tokenReply: { root: 'response' },
  profile: { token: { query: 'access_token' } },
  person: {
    uid: 'response.user.uid',
    email: 'response.user.settings.email_address',
    username: 'response.user.user_name',
    displayName: joinTexts('response.user.first_name', 'response.user.last_name'),
  },
} satisfies OAuth2Record
