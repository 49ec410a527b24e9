import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { joinTexts } from '../profile/profile-values.ts'
import { textAt } from '../profile/profile-path.ts'

/** Profiles have no user name of their own. */
const username = (profile: JsonObject): string => {
  const names = ['FirstName', 'LastName'].map((name) => textAt(profile, name).trim().toLowerCase())
  return textAt(profile, 'username') || names.filter((name) => name !== '').join('.')
}

/** TrainingPeaks; its sandbox unless `USE_PRODUCTION` is true. */
export const trainingpeaks = {
  id: 'trainingpeaks',
  name: 'TrainingPeaks',
  protocol: 'oauth2',
  source: 'https://github.com/TrainingPeaks/PartnersAPI/wiki/OAuth',
  endpoints: {
    authorize: 'https://oauth.{DOMAIN}/OAuth/Authorize',
    token: 'https://oauth.{DOMAIN}/oauth/token',
    profile: 'https://api.{DOMAIN}/v1/athlete/profile',
  },
  settings: {
    DOMAIN: {
      setting: 'USE_PRODUCTION',
      choices: { true: 'trainingpeaks.com' },
      default: 'sandbox.trainingpeaks.com',
    },
  },
  scopes: ['athlete:profile'],
  person: {
    uid: 'Id',
    email: 'Email',
    username,
    firstName: 'FirstName',
    lastName: 'LastName',
    displayName: joinTexts('FirstName', 'LastName'),
  },
} satisfies OAuth2Record
