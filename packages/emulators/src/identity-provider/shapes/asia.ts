import type { Shapes } from '../shape.ts'
import { expectedNames, expectedEmail, oauth2, isMailruSigned } from './parts.ts'

/** Providers of China, Korea and Russia. */
export const ASIA_SHAPES: Shapes = {
  baidu: oauth2(
    [
      'https://openapi.baidu.com/oauth/2.0/authorize',
      'https://openapi.baidu.com/oauth/2.0/token',
      'https://openapi.baidu.com/rest/2.0/passport/users/getLoggedInUser',
    ],
    'query:access_token',
    {
      profileReply: (who) => ({ uid: who.id, uname: who.username, portrait: '78c0e9839de59bbde7859ccf43' }),
      expected: (who) => ({ uid: who.id, username: who.id, name: who.username }),
    },
  ),
  Daum: oauth2(
    [
      'https://apis.daum.net/oauth2/authorize',
      'https://apis.daum.net/oauth2/token',
      'https://apis.daum.net/user/v1/show.json',
    ],
    'query:access_token',
    {
      profileReply: (who) => ({
        code: 200,
        message: 'OK',
        result: { userid: '38DTh', id: who.number, nickname: who.username },
      }),
      expected: (who) => ({ uid: String(who.number) }),
    },
  ),
  dingtalk: oauth2(
    [
      'https://login.dingtalk.com/oauth2/auth',
      'https://api.dingtalk.com/v1.0/oauth2/userAccessToken',
      'https://api.dingtalk.com/v1.0/contact/users/me',
    ],
    'header:x-acs-dingtalk-access-token',
    {
      callbackCode: 'authCode',
      tokenBody: 'json',
      tokenNames: { client_id: 'clientId', client_secret: 'clientSecret', grant_type: 'grantType', redirect_uri: null },
      tokenError: (code) => [400, { code, requestid: 'E1', message: 'Emulated.' }],
      tokenReply: ({ access_token, refresh_token, expires_in }) => ({
        accessToken: access_token,
        refreshToken: refresh_token,
        expireIn: expires_in,
        corpId: 'corp',
      }),
      profileReply: (who) => ({
        nick: who.username,
        unionId: `u-${who.id}`,
        openId: who.id,
        avatarUrl: 'https://static.example/a',
      }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.username }),
    },
  ),
  douban: oauth2(
    [
      'https://www.douban.com/service/auth2/auth',
      'https://www.douban.com/service/auth2/token',
      'https://api.douban.com/v2/user/~me',
    ],
    'bearer',
    {
      profileError: (msg) => [400, { code: 103, msg, request: 'GET /v2/user/~me' }],
      profileReply: (who) => ({
        id: who.id,
        uid: who.username,
        name: who.fullName,
        alt: 'https://www.douban.com/people/a/',
      }),
      expected: (who) => ({ uid: who.id, username: who.id, firstName: who.fullName }),
    },
  ),
  feishu: oauth2(
    [
      'https://open.feishu.cn/open-apis/authen/v1/index',
      'https://open.feishu.cn/open-apis/authen/v1/access_token',
      'https://open.feishu.cn/open-apis/authen/v1/user_info',
    ],
    'bearer',
    {
      appToken: 'https://open.feishu.cn/open-apis/auth/v3/app_access_token/internal/',
      authorizeClientId: 'app_id',
      tokenAuth: 'app_access_token',
      tokenBody: 'json',
      tokenNames: { redirect_uri: null },
      tokenError: (msg) => [200, { code: 20_007, msg }],
      tokenReply: ({ access_token, refresh_token, expires_in }, who) => ({
        code: 0,
        msg: 'success',
        data: { access_token, token_type: 'Bearer', expires_in, refresh_token, name: who.fullName, open_id: who.id },
      }),
      profileError: (msg) => [200, { code: 20_005, msg }],
      profileReply: (who) => ({
        code: 0,
        msg: 'success',
        data: { name: who.fullName, en_name: who.fullName, open_id: who.id, union_id: `on_${who.id}`, tenant_key: 't' },
      }),
      expected: (who) => ({ uid: who.id, username: who.fullName, name: who.fullName }),
    },
  ),
  kakao: oauth2(
    [
      'https://kauth.kakao.com/oauth/authorize',
      'https://kauth.kakao.com/oauth/token',
      'https://kapi.kakao.com/v2/user/me',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        id: who.number,
        connected_at: '2025-01-01T00:00:00Z',
        properties: { nickname: who.username },
        kakao_account: {
          profile: { nickname: who.username },
          has_email: who.email !== null,
          is_email_valid: true,
          is_email_verified: who.emailVerified,
          email: who.email,
        },
      }),
      expected: (who) => ({ uid: String(who.number), ...expectedEmail(who), username: who.username }),
    },
  ),
  mailru: oauth2(
    [
      'https://connect.mail.ru/oauth/authorize',
      'https://connect.mail.ru/oauth/token',
      'https://www.appsmail.ru/platform/api',
    ],
    'none',
    {
      profileClient: 'app_id',
      tokenReply: (standard, who) => ({ ...standard, x_mailru_vid: who.id }),
      profileParams: ['method', 'secure', 'uids'],
      profileCheck: isMailruSigned,
      profileError: (error) => [403, { error: { error_code: 104, error_msg: error } }],
      profileReply: (who) => [
        {
          uid: who.id,
          nick: who.username,
          email: who.email,
          first_name: who.firstName,
          last_name: who.lastName,
          is_verified: 1,
        },
      ],
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
  naver: oauth2(
    [
      'https://nid.naver.com/oauth2.0/authorize',
      'https://nid.naver.com/oauth2.0/token',
      'https://openapi.naver.com/v1/nid/me',
    ],
    'bearer',
    {
      tokenReply: (standard) => ({ ...standard, expires_in: '3600' }),
      profileReply: (who) => ({
        resultcode: '00',
        message: 'success',
        response: { id: who.id, email: who.email, nickname: who.username, name: who.fullName },
      }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
  weibo: oauth2(
    [
      'https://api.weibo.com/oauth2/authorize',
      'https://api.weibo.com/oauth2/access_token',
      'https://api.weibo.com/2/users/show.json',
    ],
    'query:access_token',
    {
      tokenType: 'text/plain;charset=UTF-8',
      tokenReply: ({ access_token, expires_in }, who) => ({
        access_token,
        expires_in,
        remind_in: '3600',
        uid: who.id,
        isRealName: 'true',
      }),
      profileCheck: ({ url }, { person }) => url.searchParams.get('uid') === person.id,
      profileReply: (who) => ({
        id: who.number,
        idstr: who.id,
        screen_name: who.username,
        name: who.fullName,
        verified: false,
      }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.fullName }),
    },
  ),
  weixin: oauth2(
    [
      'https://open.weixin.qq.com/connect/qrconnect',
      'https://api.weixin.qq.com/sns/oauth2/access_token',
      'https://api.weixin.qq.com/sns/userinfo',
    ],
    'query:access_token',
    {
      authorizeClientId: 'appid',
      tokenNames: { client_id: 'appid', client_secret: 'secret', redirect_uri: null },
      tokenType: 'text/plain',
      tokenError: (errmsg) => [200, { errcode: 40_029, errmsg }],
      tokenReply: (standard, who) => ({ ...standard, openid: who.id, unionid: `o-${who.id}` }),
      profileType: 'text/plain',
      profileCheck: ({ url }, { person }) => url.searchParams.get('openid') === person.id,
      profileError: (errmsg) => [200, { errcode: 40_001, errmsg }],
      profileReply: (who) => ({
        openid: who.id,
        nickname: who.username,
        sex: 1,
        unionid: `o-${who.id}`,
        privilege: [],
      }),
      expected: (who) => ({ uid: who.id, username: who.username, name: who.username }),
    },
  ),
  yandex: oauth2(
    ['https://oauth.yandex.com/authorize', 'https://oauth.yandex.ru/token', 'https://login.yandex.ru/info'],
    'header:authorization: OAuth',
    {
      emailScope: 'login:email',
      profileReply: (who) => ({
        id: who.id,
        login: who.username,
        client_id: 'c',
        display_name: who.username,
        real_name: who.fullName,
        first_name: who.firstName,
        last_name: who.lastName,
        default_email: who.email,
        emails: who.email === null ? [] : [who.email],
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
}
