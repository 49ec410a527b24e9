import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { OAuth2Record } from '../oauth2/record.ts'
import { textAt } from '../profile/profile-path.ts'

/** Ids of people are unique in their team. */
const teamAndUser = (profile: JsonObject): string => {
  const claim = (name: string) => textAt({ value: profile[`https://slack.com/${name}`] }, 'value')
  const team = claim('team_id') || textAt(profile, 'team.id')
  const user = claim('user_id') || textAt(profile, 'user.id')
  return team === '' || user === '' ? '' : `${team}_${user}`
}

/** Slack. */
export const slack = {
  id: 'slack',
  name: 'Slack',
  protocol: 'oauth2',
  source: 'https://docs.slack.dev/authentication/sign-in-with-slack/',
  endpoints: {
    authorize: 'https://slack.com//openid/connect/authorize',
    token: 'https://slack.com/api/openid.connect.token',
    profile: 'https://slack.com/api/openid.connect.userInfo',
  },
  scopes: ['openid', 'profile', 'email'],
  profile: { success: { path: 'ok', is: true } },
  person: {
    uid: teamAndUser,
    email: ['email', 'user.email'],
    emailVerified: 'email_verified',
    displayName: ['user.name', 'name'],
  },
} satisfies OAuth2Record
