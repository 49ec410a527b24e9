import type { OAuth2Record } from '../oauth2/record.ts'

/** Figma. */
export const figma = {
  id: 'figma',
  name: 'Figma',
  protocol: 'oauth2',
  source: 'https://www.figma.com/developers/api#oauth2',
  endpoints: {
    authorize: 'https://www.figma.com/oauth',
    token: 'https://www.figma.com/api/oauth/token',
    profile: 'https://api.figma.com/v1/me',
  },
  person: { uid: 'id', email: 'email', displayName: 'handle' },
} satisfies OAuth2Record
