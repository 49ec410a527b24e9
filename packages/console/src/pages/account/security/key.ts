import type { Authenticator } from '@gatepost/auth/client'

/** A passkey or security key. */
export type Key = Extract<Authenticator, { readonly type: 'webauthn' }>
