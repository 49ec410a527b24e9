import type { Shapes } from '../shape.ts'
import { expectedNames, expectedEmail, claims, oauth2 } from './parts.ts'

const urls = (base: string, ...paths: readonly [string, string, string]): readonly [string, string, string] => [
  `${base}${paths[0]}`,
  `${base}${paths[1]}`,
  `${base}${paths[2]}`,
]

/** OAuth 2.0 providers with a profile like OpenID Connect's. */
export const OPENID_LIKE_SHAPES: Shapes = {
  amazon_cognito: oauth2(
    urls('https://pool.cognito.example', '/oauth2/authorize', '/oauth2/token', '/oauth2/userInfo'),
    'bearer',
    {
      settings: { DOMAIN: 'https://pool.cognito.example' },
      profileReply: (who) => ({
        ...claims(who),
        email_verified: who.emailVerified ? 'true' : 'false',
        username: who.username,
        phone_number_verified: 'false',
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who) }),
    },
  ),
  apple: oauth2(['https://appleid.apple.com/auth/authorize', 'https://appleid.apple.com/auth/token', null], 'none', {
    jwks: 'https://appleid.apple.com/auth/keys',
    issuer: 'https://appleid.apple.com',
    key: 'TEAM123456',
    tokenAuth: 'apple',
    authorizeParams: { response_mode: 'form_post', response_type: 'code id_token' },
    responseMode: 'form_post',
    callbackParams: (who, scopes, first): Readonly<Record<string, string>> =>
      first && scopes.includes('name')
        ? { user: JSON.stringify({ name: { firstName: who.firstName, lastName: who.lastName }, email: who.email }) }
        : {},
    idToken: 'always',
    emailScope: 'email',
    idClaims: (who) => ({
      sub: who.id,
      ...(who.email === null ? {} : { email: who.email, email_verified: who.emailVerified ? 'true' : 'false' }),
      auth_time: 1_700_000_000,
      nonce_supported: true,
    }),
    expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who) }),
  }),
  auth0: oauth2(urls('https://tenant.auth0.example', '/authorize', '/oauth/token', '/userinfo'), 'query:access_token', {
    settings: { AUTH0_URL: 'https://tenant.auth0.example' },
    profileReply: (who) => ({ ...claims(who), nickname: who.username, username: who.username }),
    expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
  }),
  authentiq: oauth2(urls('https://connect.authentiq.io', '/authorize', '/token', '/userinfo'), 'bearer', {
    settings: { PROVIDER_URL: 'https://connect.authentiq.io/' },
    emailScope: 'email',
    profileReply: (who) => ({ ...claims(who), locale: 'en', aq_score: 3 }),
    expected: (who) => ({
      uid: who.id,
      ...expectedEmail(who),
      ...expectedNames(who),
      username: who.username,
      name: who.fullName,
    }),
  }),
  cilogon: oauth2(
    urls('https://cilogon.org', '/authorize', '/oauth2/token', '/oauth2/userinfo'),
    'query:access_token',
    {
      emailScope: 'email',
      profileReply: (who) => ({ ...claims(who), verified_email: who.emailVerified, idp_name: 'Emulated University' }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who) }),
    },
  ),
  globus: oauth2(urls('https://auth.globus.org/v2/oauth2', '/authorize', '/token', '/userinfo'), 'any', {
    emailScope: 'email',
    profileReply: (who) => ({ ...claims(who), organization: 'Emulated', identity_provider: 'idp-1' }),
    expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
  }),
  lemonldap: oauth2(
    urls('https://auth.lemonldap.example', '/oauth2/authorize', '/oauth2/token', '/oauth2/userinfo'),
    'bearer',
    {
      settings: { LEMONLDAP_URL: 'https://auth.lemonldap.example' },
      profileMethod: 'POST',
      profileReply: claims,
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  netiq: oauth2(
    urls('https://nam.netiq.example', '/nidp/oauth/nam/authz', '/nidp/oauth/nam/token', '/nidp/oauth/nam/userinfo'),
    'bearer',
    {
      settings: { NETIQ_URL: 'https://nam.netiq.example' },
      profileReply: claims,
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  okta: oauth2(
    urls('https://tenant.okta.example', '/oauth2/v1/authorize', '/oauth2/v1/token', '/oauth2/v1/userinfo'),
    'bearer',
    {
      settings: { OKTA_BASE_URL: 'tenant.okta.example' },
      profileReply: (who) => ({
        ...claims(who),
        preferred_username: `${who.username}@people.example`,
        zoneinfo: 'Europe/Berlin',
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who), username: who.username }),
    },
  ),
  paypal: oauth2(
    [
      'https://www.sandbox.paypal.com/webapps/auth/protocol/openidconnect/v1/authorize',
      'https://api.sandbox.paypal.com/v1/identity/openidconnect/tokenservice',
      'https://api.sandbox.paypal.com/v1/identity/openidconnect/userinfo',
    ],
    'query:access_token',
    {
      alsoAt: [['sandbox.paypal.com', 'paypal.com']],
      emailScope: 'email',
      profileMethod: 'POST',
      profileParams: ['schema'],
      profileReply: (who) => ({
        user_id: `https://www.paypal.com/webapps/auth/identity/user/${who.id}`,
        email: who.email,
        name: who.fullName,
        given_name: who.firstName,
        family_name: who.lastName,
        verified_account: 'true',
      }),
      expected: (who) => ({
        uid: `https://www.paypal.com/webapps/auth/identity/user/${who.id}`,
        email: who.email,
        ...expectedNames(who),
      }),
    },
  ),
  quickbooks: oauth2(
    [
      'https://appcenter.intuit.com/connect/oauth2',
      'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
      'https://accounts.platform.intuit.com/v1/openid_connect/userinfo',
    ],
    'bearer',
    {
      alsoAt: [['//accounts.platform', '//sandbox-accounts.platform']],
      emailScope: 'email',
      callbackParams: () => ({ realmId: '9130347' }),
      profileReply: (who) => ({
        sub: who.id,
        givenName: who.firstName,
        familyName: who.lastName,
        email: who.email,
        emailVerified: who.emailVerified,
      }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
  salesforce: oauth2(
    urls(
      'https://instance.salesforce.example',
      '/services/oauth2/authorize',
      '/services/oauth2/token',
      '/services/oauth2/userinfo',
    ),
    'query:oauth_token',
    {
      key: 'https://instance.salesforce.example',
      profileReply: (who, call) => ({
        ...claims(who),
        sub: call.at(`https://instance.salesforce.example/id/00Dx0/${who.id}`),
        user_id: who.id,
        organization_id: '00Dx0000000ABCD',
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who), username: who.username }),
    },
  ),
  yahoo: oauth2(
    [
      'https://api.login.yahoo.com/oauth2/request_auth',
      'https://api.login.yahoo.com/oauth2/get_token',
      'https://api.login.yahoo.com/openid/v1/userinfo',
    ],
    'bearer',
    {
      emailScope: 'email',
      tokenReply: (standard, who) => ({ ...standard, xoauth_yahoo_guid: who.id }),
      profileReply: (who) => ({ ...claims(who), locale: 'en-US', profile_images: {} }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who) }),
    },
  ),
  line: oauth2(
    [
      'https://access.line.me/oauth2/v2.1/authorize',
      'https://api.line.me/oauth2/v2.1/token',
      'https://api.line.me/v2/profile',
    ],
    'bearer',
    {
      issuer: 'https://access.line.me',
      idToken: 'openid',
      emailScope: 'email',
      secondProfile: 'https://api.line.me/oauth2/v2.1/verify',
      secondMethod: 'POST',
      secondTransport: 'form:id_token',
      secondProfileReply: (who, call, grant) =>
        call.form.get('client_id') === grant.clientId
          ? { iss: 'https://access.line.me', sub: who.id, aud: grant.clientId, name: who.fullName, email: who.email }
          : Response.json({ error: 'invalid_request' }, { status: 400 }),
      profileReply: (who) => ({
        userId: who.id,
        displayName: who.fullName,
        pictureUrl: 'https://profile.line-scdn.example/p',
        statusMessage: '',
      }),
      expected: (who) => ({ uid: who.id, username: who.id }),
    },
  ),
}
