import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Battle.net. China has accounts of its own, whose ids may be those of others elsewhere. */
export const battlenet = {
  id: 'battlenet',
  name: 'Battle.net',
  protocol: 'oauth2',
  source: 'https://develop.battle.net/documentation/guides/using-oauth',
  endpoints: {
    authorize: 'https://{HOST}/authorize',
    token: 'https://{HOST}/token',
    profile: 'https://{HOST}/userinfo',
  },
  settings: {
    REGION: {
      query: 'region',
      choices: { apac: 'apac', cn: 'cn', eu: 'eu', kr: 'kr', sea: 'us', tw: 'tw', us: 'us' },
      default: 'us',
    },
    HOST: { of: 'REGION', choices: { cn: 'oauth.battlenet.com.cn' }, default: 'oauth.battle.net' },
  },
  stored: { fromSettings: { region: 'REGION' } },
  person: {
    uid: (profile) => {
      const id = textAt(profile, 'id')
      return id !== '' && profile['region'] === 'cn' ? `${id}-cn` : id
    },
    username: 'battletag',
  },
} satisfies OAuth2Record
