import type { OAuth2Record } from '../oauth2/record.ts'

/** Feishu; version 1 of its API knows no verifier of PKCE. */
export const feishu = {
  id: 'feishu',
  name: 'feishu',
  protocol: 'oauth2',
  source: 'https://open.feishu.cn/document/historic-version/authen/authen-v1-authorize',
  endpoints: {
    authorize: '{AUTHORIZE_URL}',
    token: 'https://open.feishu.cn/open-apis/authen/v1/access_token',
    profile: 'https://open.feishu.cn/open-apis/authen/v1/user_info',
  },
  settings: {
    AUTHORIZE_URL: 'https://open.feishu.cn/open-apis/authen/v1/index',
    APP_ACCESS_TOKEN_URL: 'https://open.feishu.cn/open-apis/auth/v3/app_access_token/internal/',
  },
  authorize: { names: { client_id: 'app_id' } },
  pkce: 'off',
  tokenRequest: {
    body: 'json',
    names: { redirect_uri: null },
    appToken: {
      url: '{APP_ACCESS_TOKEN_URL}',
      names: { client_id: 'app_id', client_secret: 'app_secret' },
      key: 'app_access_token',
    },
  },
  tokenReply: { root: 'data' },
  profile: { success: { path: 'code', is: 0 }, root: 'data' },
  person: { uid: 'open_id', username: 'name', displayName: 'name' },
} satisfies OAuth2Record
