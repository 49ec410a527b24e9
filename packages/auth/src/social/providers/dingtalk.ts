import type { OAuth2Record } from '../oauth2/record.ts'

/** DingTalk; its token request is JSON with names of its own, and knows no verifier of PKCE. */
export const dingtalk = {
  id: 'dingtalk',
  name: 'DingTalk',
  protocol: 'oauth2',
  source: 'https://open.dingtalk.com/document/orgapp/obtain-identity-credentials',
  endpoints: {
    authorize: 'https://login.dingtalk.com/oauth2/auth',
    token: 'https://api.dingtalk.com/v1.0/oauth2/userAccessToken',
    profile: 'https://api.dingtalk.com/v1.0/contact/users/me',
  },
  scopes: ['openid', 'corpid'],
  pkce: 'off',
  codeParam: 'authCode',
  tokenRequest: {
    body: 'json',
    names: { client_id: 'clientId', client_secret: 'clientSecret', grant_type: 'grantType', redirect_uri: null },
  },
  tokenReply: { keys: { access_token: 'accessToken', refresh_token: 'refreshToken', expires_in: 'expireIn' } },
  profile: { token: { header: 'x-acs-dingtalk-access-token' } },
  person: { uid: 'openId', username: 'nick', displayName: 'nick' },
} satisfies OAuth2Record
