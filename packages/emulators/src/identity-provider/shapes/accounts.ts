import type { Shapes } from '../shape.ts'
import { expectedNames, claims, oauth2 } from './parts.ts'

/** Mail, storage and organization accounts. */
export const ACCOUNT_SHAPES: Shapes = {
  box: oauth2(
    [
      'https://account.box.com/api/oauth2/authorize',
      'https://api.box.com/oauth2/token',
      'https://api.box.com/2.0/users/me',
    ],
    'query:access_token',
    {
      profileReply: (who) => ({
        type: 'user',
        id: who.id,
        name: who.fullName,
        display_name: who.fullName,
        login: who.email,
        email: who.email,
        status: 'active',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName }),
    },
  ),
  dropbox: oauth2(
    [
      'https://www.dropbox.com/oauth2/authorize',
      'https://api.dropbox.com/oauth2/token',
      'https://api.dropbox.com/2/users/get_current_account',
    ],
    'bearer',
    {
      profileMethod: 'POST',
      profileCheck: ({ body }) => body === '' || body === 'null',
      profileReply: (who) => ({
        account_id: `dbid:${who.id}`,
        name: { given_name: who.firstName, surname: who.lastName, display_name: who.fullName },
        email: who.email,
        email_verified: who.emailVerified,
      }),
      expected: (who) => ({ uid: `dbid:${who.id}`, email: who.email, name: who.fullName }),
    },
  ),
  fxa: oauth2(
    [
      'https://oauth.accounts.firefox.com/v1/authorization',
      'https://oauth.accounts.firefox.com/v1/token',
      'https://profile.accounts.firefox.com/v1/profile',
    ],
    'bearer',
    {
      settings: {
        OAUTH_ENDPOINT: 'https://oauth.accounts.firefox.com/v1',
        PROFILE_ENDPOINT: 'https://profile.accounts.firefox.com/v1',
      },
      profileReply: (who) => ({
        uid: who.id,
        email: who.email,
        locale: 'en',
        displayName: who.fullName,
        amrValues: ['pwd'],
      }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
  hubic: oauth2(
    ['https://api.hubic.com/oauth/auth', 'https://api.hubic.com/oauth/token', 'https://api.hubic.com/1.0/account'],
    'bearer',
    {
      uidFrom: 'email',
      profileReply: (who) => ({
        email: who.email,
        firstname: who.firstName,
        lastname: who.lastName,
        activated: true,
        status: 'ok',
      }),
      expected: (who) => ({
        uid: who.email ?? '',
        email: who.email,
        username: `${who.firstName}${who.lastName}`.toLowerCase(),
        ...expectedNames(who),
      }),
    },
  ),
  linkedin_oauth2: oauth2(
    [
      'https://www.linkedin.com/oauth/v2/authorization',
      'https://www.linkedin.com/oauth/v2/accessToken',
      'https://api.linkedin.com/v2/me',
    ],
    'bearer',
    {
      email: 'https://api.linkedin.com/v2/emailAddress?q=members&projection=(elements*(handle~))',
      tokenMethod: 'GET',
      emailScope: 'r_emailaddress',
      profileParams: ['projection'],
      profileReply: (who) => ({
        id: who.id,
        firstName: { localized: { de_DE: who.firstName }, preferredLocale: { country: 'DE', language: 'de' } },
        lastName: { localized: { fr_FR: who.lastName }, preferredLocale: { country: 'DE', language: 'de' } },
      }),
      emailReply: (who) =>
        who.email === null
          ? Response.json({ message: 'Not enough permissions', serviceErrorCode: 100, status: 403 }, { status: 403 })
          : { elements: [{ handle: 'urn:li:emailAddress:1', 'handle~': { emailAddress: who.email } }] },
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  mailcow: oauth2(
    [
      'https://hosted.mailcow.de/oauth/authorize',
      'https://hosted.mailcow.de/oauth/token',
      'https://hosted.mailcow.de/oauth/profile',
    ],
    'query:access_token',
    {
      settings: { SERVER: 'https://hosted.mailcow.de' },
      profileParams: ['code'],
      profileReply: (who) => ({
        success: true,
        id: who.id,
        username: who.username,
        identifier: who.email,
        email: who.email,
        full_name: who.fullName,
        displayName: who.fullName,
        active: 1,
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  microsoft: oauth2(
    [
      'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize',
      'https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token',
      'https://graph.microsoft.com/v1.0/me',
    ],
    'bearer',
    {
      fill: { tenant: 'common' },
      appSettings: { login_url: 'https://login.microsoftonline.com', graph_url: 'https://graph.microsoft.com' },
      profileParams: ['$select'],
      profileError: (error) => [401, { error: { code: 'InvalidAuthenticationToken', message: error } }],
      profileReply: (who) => ({
        id: who.id,
        displayName: who.fullName,
        givenName: who.firstName,
        surname: who.lastName,
        mail: who.email,
        userPrincipalName: who.email ?? `${who.username}@people.example`,
        mailNickname: who.username,
        businessPhones: [],
      }),
      expected: (who) => ({
        uid: who.id,
        email: who.email ?? `${who.username}@people.example`,
        username: who.username,
        ...expectedNames(who),
      }),
    },
  ),
  nextcloud: oauth2(
    [
      'https://nextcloud.example.org/apps/oauth2/authorize',
      'https://nextcloud.example.org/apps/oauth2/api/v1/token',
      'https://nextcloud.example.org/ocs/v1.php/cloud/users/{user_id}?format=json',
    ],
    'bearer',
    {
      appSettings: { server: 'https://nextcloud.example.org' },
      tokenReply: (standard, who) => ({ ...standard, user_id: who.id }),
      profileCheck: ({ path }, { person }) => path['user_id'] === person.id,
      profileReply: (who) => ({
        ocs: {
          meta: { status: 'ok', statuscode: 100 },
          data: { id: who.id, displayname: who.username, email: who.email, enabled: true, groups: [] },
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username }),
    },
  ),
  sharefile: oauth2(
    [
      'https://secure.sharefile.com/oauth/authorize',
      'https://secure.sharefile.com/oauth/token',
      'https://secure.sf-api.com/sf/v3/Users',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        Id: who.id,
        Email: who.email,
        Username: who.username,
        FullName: who.fullName,
        Company: 'Emulated',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  windowslive: oauth2(
    [
      'https://login.live.com/oauth20_authorize.srf',
      'https://login.live.com/oauth20_token.srf',
      'https://apis.live.net/v5.0/me',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        id: who.id,
        first_name: who.firstName,
        last_name: who.lastName,
        name: who.fullName,
        emails: { preferred: who.email, account: who.email, personal: null, business: null },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  dataporten: oauth2(
    [
      'https://auth.dataporten.no/oauth/authorization',
      'https://auth.dataporten.no/oauth/token',
      'https://auth.dataporten.no/userinfo',
    ],
    'bearer',
    {
      profileReply: (who, _call, grant) => ({
        user: {
          userid: who.id,
          userid_sec: [`feide:${who.username}@uninett.example`],
          name: who.fullName,
          email: who.email,
          profilephoto: 'p:1',
        },
        audience: grant.clientId,
      }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  mediawiki: oauth2(
    [
      'https://meta.wikimedia.org/w/rest.php/oauth2/authorize',
      'https://meta.wikimedia.org/w/rest.php/oauth2/access_token',
      'https://meta.wikimedia.org/w/rest.php/oauth2/resource/profile',
    ],
    'bearer',
    {
      settings: { REST_API: 'https://meta.wikimedia.org/w/rest.php' },
      profileHeaders: { 'user-agent': /\S/ },
      profileReply: (who) => ({
        ...claims(who),
        sub: who.number,
        username: who.username,
        realname: who.fullName,
        confirmed_email: who.emailVerified,
      }),
      expected: (who) => ({
        uid: String(who.number),
        email: who.emailVerified ? who.email : null,
        emailVerified: who.email !== null && who.emailVerified,
        username: who.username,
        name: who.fullName,
      }),
    },
  ),
}
