import type { Flow } from '@gatepost/auth/client'

/** A method of reauthentication. */
export type ReauthenticationMethod = 'password' | 'code' | 'passkey'

/** Returns the methods the service offers, the quickest first. Unknown ones are left out. */
export function listMethods(flows: readonly Flow[]): readonly ReauthenticationMethod[] {
  const ways = flows.flatMap((flow): readonly ReauthenticationMethod[] => {
    if (flow.id === 'reauthenticate') return ['password']
    if (flow.id !== 'mfa_reauthenticate') return []
    return flow.types.map((type) => (type === 'webauthn' ? 'passkey' : 'code'))
  })
  return (['password', 'passkey', 'code'] as const).filter((way) => ways.includes(way))
}
