import type { Openid2Record } from '../openid2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Steam, by OpenID 2.0. The secret of the app is a key of its Web API. */
export const steam = {
  id: 'steam',
  name: 'Steam',
  protocol: 'openid2',
  source: 'https://partner.steamgames.com/doc/features/auth#website',
  fixed: {
    endpoint: 'https://steamcommunity.com/openid/login',
    claimedIdPrefix: 'https://steamcommunity.com/openid/id/',
    profile: {
      url: 'https://api.steampowered.com/ISteamUser/GetPlayerSummaries/v0002/',
      keyParam: 'key',
      idParam: 'steamids',
      root: 'response.players[0]',
      id: 'steamid',
    },
  },
  person: {
    uid: 'steamid',
    username: ['personaname', 'steamid'],
    // Two words are a first and a last name; anything else is one name.
    firstName: (profile) => /^(\S+) \S+$/.exec(textAt(profile, 'realname').trim())?.[1] ?? textAt(profile, 'realname'),
    lastName: (profile) => /^\S+ (\S+)$/.exec(textAt(profile, 'realname').trim())?.[1],
  },
} satisfies Openid2Record
