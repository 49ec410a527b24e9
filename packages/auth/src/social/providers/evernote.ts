import type { OAuth1Record } from '../oauth1/record.ts'

/** Evernote, OAuth 1.0a. */
export const evernote = {
  id: 'evernote',
  name: 'Evernote',
  protocol: 'oauth1',
  source: 'https://dev.evernote.com/doc/articles/authentication.php',
  requestTokenUrl: 'https://{EVERNOTE_HOSTNAME}/oauth',
  authorizeUrl: 'https://{EVERNOTE_HOSTNAME}/OAuth.action',
  accessTokenUrl: 'https://{EVERNOTE_HOSTNAME}/oauth',
  hosts: { EVERNOTE_HOSTNAME: 'sandbox.evernote.com' },
  profile: 'token_reply',
  person: { uid: 'edam_userId' },
  expiresAtMsMember: 'edam_expires',
  refusesWithoutVerifier: true,
} satisfies OAuth1Record
