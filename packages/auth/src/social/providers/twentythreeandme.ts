import type { OAuth2Record } from '../oauth2/record.ts'

/** 23andMe. */
export const twentythreeandme = {
  id: 'twentythreeandme',
  name: '23andMe',
  protocol: 'oauth2',
  source: 'https://api.23andme.com/docs/authentication/',
  endpoints: {
    authorize: 'https://api.23andme.com/authorize',
    token: 'https://api.23andme.com/token',
    profile: 'https://api.23andme.com/1/user/',
  },
  scopes: ['basic'],
  person: { uid: 'id', email: 'email' },
} satisfies OAuth2Record
