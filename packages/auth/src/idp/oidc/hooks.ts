import type { Core } from '../../core.ts'
import type { OidcAdapter } from './adapter.ts'

/** What the hooks of our OpenID Connect provider do unless the host has its own: not there yet. */
export const oidcHooks = (_core: () => Core): OidcAdapter => ({
  scopeDisplay: {},
  generateClientId: () => '',
  generateClientSecret: () => '',
  generateUserCode: () => '',
  hashToken: (token) => token,
  getIssuer: (origin) => origin,
  populateIdToken: () => undefined,
  populateAccessToken: () => undefined,
  getClaims: async () => ({}),
  getUserSub: (_client, user) => String(user.id),
  getUserBySub: async () => null,
})
