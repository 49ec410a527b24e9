import type { Shapes } from '../shape.ts'
import { expectedNames, expectedEmail, claims, oauth2 } from './parts.ts'

/** Software development and hosting. */
export const CODE_SHAPES: Shapes = {
  agave: oauth2(
    [
      'https://public.agaveapi.co/authorize',
      'https://public.agaveapi.co/token',
      'https://public.agaveapi.co/profiles/v2/me',
    ],
    'any',
    {
      settings: { API_URL: 'https://public.agaveapi.co' },
      profileReply: (who) => ({
        status: 'success',
        result: {
          uid: who.number,
          username: who.username,
          email: who.email,
          first_name: who.firstName,
          last_name: who.lastName,
          full_name: who.fullName,
          create_time: `20250101${who.id}Z`,
          status: 'Active',
        },
      }),
      uidFrom: 'username',
      expected: (who) => ({ uid: who.username, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  asana: oauth2(
    [
      'https://app.asana.com/-/oauth_authorize',
      'https://app.asana.com/-/oauth_token',
      'https://app.asana.com/api/1.0/users/me',
    ],
    'query:access_token',
    {
      profileReply: (who) => ({
        data: { gid: who.id, resource_type: 'user', name: who.fullName, email: who.email, photo: null },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.fullName }),
    },
  ),
  atlassian: oauth2(
    ['https://auth.atlassian.com/authorize', 'https://api.atlassian.com/oauth/token', 'https://api.atlassian.com/me'],
    'bearer',
    {
      authorizeParams: { audience: 'api.atlassian.com', prompt: 'consent' },
      profileReply: (who) => ({
        account_type: 'atlassian',
        account_id: who.id,
        account_status: 'active',
        email: who.email,
        email_verified: who.emailVerified,
        name: who.fullName,
        nickname: who.username,
        picture: 'https://avatar.example/a.png',
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), username: who.username, name: who.fullName }),
    },
  ),
  bitbucket_oauth2: oauth2(
    [
      'https://bitbucket.org/site/oauth2/authorize',
      'https://bitbucket.org/site/oauth2/access_token',
      'https://api.bitbucket.org/2.0/user',
    ],
    'query:access_token',
    {
      uidFrom: 'username',
      email: 'https://api.bitbucket.org/2.0/user/emails',
      profileReply: (who) => ({
        username: who.username,
        display_name: who.fullName,
        uuid: `{${who.id}}`,
        links: { html: { href: `https://bitbucket.org/${who.username}/` } },
      }),
      emailReply: (who) => ({
        values: [
          { email: `old.${who.username}@people.example`, is_primary: false, is_confirmed: true },
          ...(who.email === null ? [] : [{ email: who.email, is_primary: true, is_confirmed: who.emailVerified }]),
        ],
      }),
      expected: (who) => ({ uid: who.username, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  digitalocean: oauth2(
    [
      'https://cloud.digitalocean.com/v1/oauth/authorize',
      'https://cloud.digitalocean.com/v1/oauth/token',
      'https://api.digitalocean.com/v2/account',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        account: {
          droplet_limit: 25,
          email: who.email,
          uuid: who.id,
          email_verified: who.emailVerified,
          status: 'active',
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
  figma: oauth2(
    ['https://www.figma.com/oauth', 'https://www.figma.com/api/oauth/token', 'https://api.figma.com/v1/me'],
    'bearer',
    {
      profileReply: (who) => ({
        id: who.id,
        email: who.email,
        handle: who.username,
        img_url: 'https://www.gravatar.example/a',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, name: who.username }),
    },
  ),
  gitea: oauth2(
    [
      'https://gitea.com/login/oauth/authorize',
      'https://gitea.com/login/oauth/access_token',
      'https://gitea.com/api/v1/user',
    ],
    'header:authorization: token',
    {
      settings: { GITEA_URL: 'https://gitea.com' },
      profileReply: (who) => ({
        id: who.number,
        login: who.username,
        full_name: who.fullName,
        name: who.fullName,
        email: who.email,
        avatar_url: `https://gitea.com/avatars/${who.number}`,
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  gitlab: oauth2(
    ['https://gitlab.com/oauth/authorize', 'https://gitlab.com/oauth/token', 'https://gitlab.com/api/v4/user'],
    'query:access_token',
    {
      settings: { GITLAB_URL: 'https://gitlab.com' },
      profileError: () => [401, { message: '401 Unauthorized' }],
      profileReply: (who) => ({
        id: who.number,
        username: who.username,
        name: who.fullName,
        state: 'active',
        email: who.email,
        web_url: `https://gitlab.com/${who.username}`,
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  jupyterhub: oauth2(
    [
      'https://hub.jupyter.example/hub/api/oauth2/authorize',
      'https://hub.jupyter.example/hub/api/oauth2/token',
      'https://hub.jupyter.example/hub/api/user',
    ],
    'bearer',
    {
      uidFrom: 'username',
      settings: { API_URL: 'https://hub.jupyter.example' },
      profileReply: (who) => ({ kind: 'user', name: who.username, admin: false, groups: [], server: null }),
      expected: (who) => ({ uid: who.username, name: who.username }),
    },
  ),
  miro: oauth2(
    ['https://miro.com/oauth/authorize', 'https://api.miro.com/v1/oauth/token', 'https://api.miro.com/v1/users/me'],
    'bearer',
    {
      profileReply: (who) => ({
        type: 'user',
        id: who.id,
        name: who.fullName,
        email: who.email,
        state: who.emailVerified ? 'registered' : 'not_registered',
        role: 'developer',
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), name: who.fullName }),
    },
  ),
  notion: oauth2(['https://api.notion.com/v1/oauth/authorize', 'https://api.notion.com/v1/oauth/token', null], 'none', {
    authorizeParams: { owner: 'user' },
    authorizeRedirect: null,
    tokenAuth: 'basic',
    tokenBody: 'json',
    tokenNames: { redirect_uri: null },
    tokenReply: ({ access_token }, who) => ({
      access_token,
      token_type: 'bearer',
      bot_id: 'b3414d65',
      workspace_id: 'workspace-1',
      workspace_name: 'Emulated',
      owner: {
        type: 'user',
        user: { object: 'user', id: who.id, name: who.fullName, type: 'person', person: { email: who.email } },
      },
    }),
    expected: (who) => ({ uid: `user-${who.id}_workspace-workspace-1`, email: who.email, name: who.fullName }),
  }),
  slack: oauth2(
    [
      'https://slack.com//openid/connect/authorize',
      'https://slack.com/api/openid.connect.token',
      'https://slack.com/api/openid.connect.userInfo',
    ],
    'bearer',
    {
      emailScope: 'email',
      tokenError: (error) => [200, { ok: false, error }],
      tokenReply: (standard) => ({ ok: true, ...standard }),
      profileError: (error) => [200, { ok: false, error }],
      profileReply: (who) => ({
        ok: true,
        ...claims(who),
        'https://slack.com/user_id': who.id,
        'https://slack.com/team_id': 'T0EMULATE',
        'https://slack.com/team_name': 'Emulated',
      }),
      expected: (who) => ({ uid: `T0EMULATE_${who.id}`, ...expectedEmail(who) }),
    },
  ),
  stackexchange: oauth2(
    [
      'https://stackexchange.com/oauth',
      'https://stackexchange.com/oauth/access_token',
      'https://api.stackexchange.com/2.1/me',
    ],
    'query:access_token',
    {
      key: 'stack-key',
      tokenForm: 'always',
      tokenReply: ({ access_token, expires_in }) => ({ access_token, expires: expires_in }),
      profileCheck: ({ url }, { key }) => url.searchParams.get('key') === key && url.searchParams.has('site'),
      profileError: (error) => [400, { error_id: 403, error_name: 'access_denied', error_message: error }],
      profileReply: (who) => ({
        items: [
          { account_id: who.number, user_id: 7, display_name: who.username, reputation: 1, user_type: 'registered' },
        ],
        has_more: false,
      }),
      expected: (who) => ({ uid: String(who.number), username: who.username }),
    },
  ),
  zoho: oauth2(
    [
      'https://accounts.zoho.com/oauth/v2/auth',
      'https://accounts.zoho.com/oauth/v2/token',
      'https://accounts.zoho.com/oauth/user/info',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        ZUID: who.number,
        Email: who.email,
        Display_Name: who.username,
        First_Name: who.firstName,
        Last_Name: who.lastName,
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
  zoom: oauth2(
    ['https://zoom.us/oauth/authorize', 'https://zoom.us/oauth/token', 'https://api.zoom.us/v2/users/me'],
    'bearer',
    {
      profileReply: (who) => ({
        id: who.id,
        first_name: who.firstName,
        last_name: who.lastName,
        email: who.email,
        type: 1,
        verified: who.emailVerified ? 1 : 0,
      }),
      expected: (who) => ({ uid: who.id, ...expectedEmail(who), ...expectedNames(who) }),
    },
  ),
}
