import type { OAuth2Record } from '../oauth2/record.ts'

/** MailChimp. */
export const mailchimp = {
  id: 'mailchimp',
  name: 'MailChimp',
  protocol: 'oauth2',
  source: 'https://mailchimp.com/developer/marketing/guides/access-user-data-oauth-2/',
  endpoints: {
    authorize: 'https://login.mailchimp.com/oauth2/authorize',
    token: 'https://login.mailchimp.com/oauth2/token',
    profile: 'https://login.mailchimp.com/oauth2/metadata',
  },
  profile: { token: { scheme: 'OAuth' } },
  person: { uid: 'user_id' },
} satisfies OAuth2Record
