import type { OAuth2Record } from '../oauth2/record.ts'

/** Weixin (WeChat); its page checks the order of the parameters, and knows none of PKCE. */
export const weixin = {
  id: 'weixin',
  name: 'Weixin',
  protocol: 'oauth2',
  source: 'https://developers.weixin.qq.com/doc/oplatform/en/Website_App/WeChat_Login/Wechat_Login.html',
  endpoints: {
    authorize: '{AUTHORIZE_URL}',
    token: 'https://api.weixin.qq.com/sns/oauth2/access_token',
    profile: 'https://api.weixin.qq.com/sns/userinfo',
  },
  settings: { AUTHORIZE_URL: 'https://open.weixin.qq.com/connect/qrconnect' },
  scopes: ['snsapi_login'],
  authorize: { names: { client_id: 'appid' } },
  pkce: 'off',
  tokenRequest: { names: { client_id: 'appid', client_secret: 'secret', redirect_uri: null } },
  profile: { token: { query: 'access_token' }, query: { openid: '{token.openid}' } },
  misread: ['nickname'],
  person: { uid: 'openid', username: 'nickname', displayName: 'nickname' },
} satisfies OAuth2Record
