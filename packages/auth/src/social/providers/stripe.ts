import type { OAuth2Record } from '../oauth2/record.ts'

/** Stripe. */
export const stripe = {
  id: 'stripe',
  name: 'Stripe',
  protocol: 'oauth2',
  source: 'https://docs.stripe.com/connect/oauth-reference',
  endpoints: {
    authorize: 'https://connect.stripe.com/oauth/authorize',
    token: 'https://connect.stripe.com/oauth/token',
    profile: 'https://api.stripe.com/v1/accounts/{token.stripe_user_id}',
  },
  scopes: ['read_only'],
  person: { uid: 'id', email: 'email', displayName: 'display_name' },
} satisfies OAuth2Record
