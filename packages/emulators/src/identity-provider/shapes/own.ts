import type { Shapes } from '../shape.ts'
import { expectedNames } from './parts.ts'

/** Providers with their own protocol or without addresses. */
export const OWN_SHAPES: Shapes = {
  draugiem: {
    protocol: 'draugiem',
    authorize: 'https://api.draugiem.lv/authorize',
    token: 'https://api.draugiem.lv/json',
    profile: null,
    profileReply: (who) => ({
      uid: who.id,
      language: 'lv',
      users: { [who.id]: { uid: who.id, name: who.firstName, surname: who.lastName, nick: who.username } },
    }),
    expected: (who) => ({ uid: who.id, ...expectedNames(who) }),
  },
  dummy: {
    protocol: 'dummy',
    authorize: '',
    token: '',
    profile: null,
    expected: (who) => ({
      uid: who.id,
      email: who.email,
      emailVerified: who.email !== null && who.emailVerified,
      username: who.username,
      ...expectedNames(who),
    }),
  },
  openid: {
    protocol: 'openid2',
    authorize: '',
    secondAuthorize: 'https://openid.example/server',
    token: '',
    profile: null,
    discovery: 'https://openid.example/people/{username}',
    expected: (who) => ({
      uid: `https://openid.example/people/${who.username}`,
      email: who.email,
      name: who.fullName,
      ...expectedNames(who),
    }),
  },
  pocket: {
    protocol: 'pocket',
    requestToken: 'https://getpocket.com/v3/oauth/request',
    authorize: 'https://getpocket.com/auth/authorize',
    token: 'https://getpocket.com/v3/oauth/authorize',
    profile: null,
    uidFrom: 'email',
    profileReply: (who) => ({ username: who.email }),
    expected: (who) => ({ uid: who.email ?? '', email: who.email }),
  },
  saml: {
    protocol: 'saml',
    authorize: '',
    token: '',
    profile: null,
    expected: (who) => ({
      uid: who.id,
      email: who.email,
      emailVerified: who.email !== null && who.emailVerified,
      username: who.username,
      ...expectedNames(who),
    }),
  },
  steam: {
    protocol: 'openid2',
    authorize: 'https://steamcommunity.com/openid',
    secondAuthorize: 'https://steamcommunity.com/openid/login',
    token: '',
    profile: 'https://api.steampowered.com/ISteamUser/GetPlayerSummaries/v0002/',
    profileReply: (who) => ({
      response: {
        players: [
          {
            steamid: who.id,
            personaname: who.username,
            realname: who.fullName,
            profileurl: `https://steamcommunity.com/id/${who.username}/`,
            avatarfull: 'https://avatars.steamstatic.example/a.jpg',
          },
        ],
      },
    }),
    expected: (who) => ({ uid: who.id, username: who.username, ...expectedNames(who) }),
  },
  telegram: {
    protocol: 'telegram',
    authorize: 'https://oauth.telegram.org/auth',
    token: '',
    profile: null,
    profileReply: (who) => ({
      id: who.number,
      first_name: who.firstName,
      last_name: who.lastName,
      username: who.username,
      photo_url: 'https://t.me/i/userpic/320/a.jpg',
    }),
    expected: (who) => ({ uid: String(who.number), username: who.username, ...expectedNames(who) }),
  },
}
