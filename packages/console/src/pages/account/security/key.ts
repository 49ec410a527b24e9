import type { Authenticator } from '@gatepost/auth/client'

/** A passkey or security key. */
export type Passkey = Extract<Authenticator, { readonly type: 'webauthn' }>
