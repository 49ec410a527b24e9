import type { OAuth2Record } from '../oauth2/record.ts'

/**
 * Shopify: the shop is who signs in, or its user with `AUTH_PARAMS` `grant_options[]: per-user`. The `hmac` of a callback
 * is not needed: nothing of it is read but state and code, which the host of the shop that was asked takes back.
 */
export const shopify = {
  id: 'shopify',
  name: 'Shopify',
  protocol: 'oauth2',
  source: 'https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/authorization-code-grant',
  endpoints: {
    authorize: 'https://{SHOP}/admin/oauth/authorize',
    token: 'https://{SHOP}/admin/oauth/access_token',
    profile: 'https://{SHOP}/admin/shop.json',
  },
  settings: {
    SHOP: { setting: null, query: 'shop', domain: '.myshopify.com', pattern: /^[a-z0-9-]+\.myshopify\.com$/ },
  },
  scopes: ['read_orders', 'read_products'],
  scopeDelimiter: ',',
  authorize: { params: { shop: '{SHOP}' } },
  profile: { token: { header: 'x-shopify-access-token' } },
  stored: { fromToken: ['associated_user'] },
  person: { uid: 'shop.id', email: 'shop.email' },
  variants: [
    {
      when: { authParam: 'grant_options[]', is: 'per-user' },
      use: {
        person: {
          uid: 'associated_user.id',
          email: 'associated_user.email',
          emailVerified: 'associated_user.email_verified',
          firstName: 'associated_user.first_name',
          lastName: 'associated_user.last_name',
        },
      },
    },
  ],
} satisfies OAuth2Record
