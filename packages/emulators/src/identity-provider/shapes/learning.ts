import type { Shapes } from '../shape.ts'
import { expectedNames, oauth2 } from './parts.ts'

/** Schools, science and health. */
export const LEARNING_SHAPES: Shapes = {
  clever: oauth2(
    ['https://clever.com/oauth/authorize', 'https://clever.com/oauth/tokens', 'https://api.clever.com/v3.0/users/{id}'],
    'bearer',
    {
      secondProfile: 'https://api.clever.com/v3.0/me',
      secondProfileReply: (who) => ({ type: 'user', data: { id: who.id, district: 'd1', type: 'user' }, links: [] }),
      profileReply: (who, call) =>
        call.path['id'] === who.id || who.id.includes('\u0000')
          ? {
              data: {
                id: who.id,
                email: who.email,
                name: { first: who.firstName, last: who.lastName, middle: '' },
                roles: { student: { credentials: { district_username: who.username } } },
              },
            }
          : Response.json({ error: 'Resource not found' }, { status: 404 }),
      expected: (who) => ({ uid: who.id, email: who.email, username: who.username, ...expectedNames(who) }),
    },
  ),
  doximity: oauth2(
    [
      'https://auth.doximity.com/oauth/authorize',
      'https://auth.doximity.com/oauth/token',
      'https://www.doximity.com/api/v1/users/current',
    ],
    'bearer',
    {
      profileReply: (who) => ({
        id: who.number,
        email: who.email,
        full_name: who.fullName,
        firstname: who.firstName,
        lastname: who.lastName,
        credentials: 'MD',
      }),
      expected: (who) => ({
        uid: String(who.number),
        email: who.email,
        username: who.email,
        name: who.fullName,
        ...expectedNames(who),
      }),
    },
  ),
  edmodo: oauth2(
    ['https://api.edmodo.com/oauth/authorize', 'https://api.edmodo.com/oauth/token', 'https://api.edmodo.com/users/me'],
    'query:access_token',
    {
      profileReply: (who) => ({
        url: `https://api.edmodo.com/users/${who.number}`,
        id: who.number,
        type: 'teacher',
        username: who.username,
        first_name: who.firstName,
        last_name: who.lastName,
        email: who.email,
      }),
      expected: (who) => ({ uid: String(who.number), email: who.email, ...expectedNames(who) }),
    },
  ),
  edx: oauth2(
    ['https://edx.org/oauth2/authorize/', 'https://edx.org/oauth2/access_token', 'https://edx.org/api/user/v1/me'],
    'bearer',
    {
      settings: { EDX_URL: 'https://edx.org' },
      uidFrom: 'username',
      secondProfile: 'https://edx.org/api/user/v1/accounts/{username}',
      secondProfileReply: (who, call) =>
        call.path['username'] === who.username
          ? { username: who.username, name: who.fullName, email: who.email, is_active: true }
          : Response.json({ detail: 'Not found.' }, { status: 404 }),
      profileReply: (who) => ({ username: who.username }),
      expected: (who) => ({ uid: who.username, email: who.email, username: who.username, name: who.fullName }),
    },
  ),
  eventbrite: oauth2(
    [
      'https://www.eventbrite.com/oauth/authorize',
      'https://www.eventbrite.com/oauth/token',
      'https://www.eventbriteapi.com/v3/users/me/',
    ],
    'query:token',
    {
      profileReply: (who) => ({
        id: who.id,
        name: who.fullName,
        first_name: who.firstName,
        last_name: who.lastName,
        emails: [
          { email: `old.${who.username}@people.example`, verified: false, primary: false },
          ...(who.email === null ? [] : [{ email: who.email, verified: who.emailVerified, primary: true }]),
        ],
      }),
      expected: (who) => ({
        uid: who.id,
        email: who.email ?? `old.${who.username}@people.example`,
        emailVerified: who.email !== null && who.emailVerified,
        name: who.fullName,
        ...expectedNames(who),
      }),
    },
  ),
  exist: oauth2(
    [
      'https://exist.io/oauth2/authorize',
      'https://exist.io/oauth2/access_token',
      'https://exist.io/api/2/accounts/profile/',
    ],
    'bearer',
    {
      uidFrom: 'username',
      profileReply: (who) => ({
        username: who.username,
        first_name: who.firstName,
        last_name: who.lastName,
        avatar: 'https://exist.example/a.png',
        timezone: 'Europe/Berlin',
      }),
      expected: (who) => ({ uid: who.username, username: who.username, ...expectedNames(who) }),
    },
  ),
  feedly: oauth2(
    [
      'https://cloud.feedly.com/v3/auth/auth',
      'https://cloud.feedly.com/v3/auth/token',
      'https://cloud.feedly.com/v3/profile',
    ],
    'header:authorization: OAuth',
    {
      profileReply: (who) => ({
        id: who.id,
        email: who.email,
        givenName: who.firstName,
        familyName: who.lastName,
        wave: '2013.7',
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  orcid: oauth2(
    [
      'https://orcid.org/oauth/authorize',
      'https://pub.orcid.org/oauth/token',
      'https://pub.orcid.org/v3.0/{orcid}/record',
    ],
    'none',
    {
      alsoAt: [['//pub.orcid.org', '//api.orcid.org']],
      tokenReply: (standard, who) => ({ ...standard, orcid: who.id, name: who.fullName }),
      profileHeaders: { accept: /application\/orcid\+json/ },
      profileCheck: ({ path }, { person }) => path['orcid'] === person.id,
      profileType: 'application/orcid+json;charset=UTF-8',
      profileReply: (who) => ({
        'orcid-identifier': { uri: `https://orcid.org/${who.id}`, path: who.id, host: 'orcid.org' },
        person: {
          name: { 'given-names': { value: who.firstName }, 'family-name': { value: who.lastName } },
          emails: {
            email: who.email === null ? [] : [{ email: who.email, primary: true, verified: who.emailVerified }],
          },
        },
      }),
      expected: (who) => ({ uid: who.id, email: who.email, ...expectedNames(who) }),
    },
  ),
  twentythreeandme: oauth2(
    ['https://api.23andme.com/authorize', 'https://api.23andme.com/token', 'https://api.23andme.com/1/user/'],
    'bearer',
    {
      profileReply: (who) => ({ id: who.id, email: who.email, profiles: [{ genotyped: true, id: 'p1' }] }),
      expected: (who) => ({ uid: who.id, email: who.email }),
    },
  ),
}
