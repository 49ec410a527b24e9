import type { OAuth2Record } from '../oauth2/record.ts'

/** YNAB. */
export const ynab = {
  id: 'ynab',
  name: 'YNAB',
  protocol: 'oauth2',
  source: 'https://api.ynab.com/#oauth-applications',
  endpoints: {
    authorize: 'https://app.youneedabudget.com/oauth/authorize',
    token: 'https://app.youneedabudget.com/oauth/token',
    profile: 'https://api.youneedabudget.com/v1/user',
  },
  scopes: ['read-only'],
  reauthenticate: { prompt: 'select_account consent' },
  person: { uid: 'data.user.id' },
} satisfies OAuth2Record
