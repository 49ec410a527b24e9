import type { Flow } from '@gatepost/auth/client'

/** How somebody confirms who they are. */
export type Way = 'password' | 'code' | 'passkey'

/** The ways that the service offers, the quickest first. Ways that this page does not know are left out. */
export function waysOf(flows: readonly Flow[]): readonly Way[] {
  const ways = flows.flatMap((flow): readonly Way[] => {
    if (flow.id === 'reauthenticate') return ['password']
    if (flow.id !== 'mfa_reauthenticate') return []
    return flow.types.map((type) => (type === 'webauthn' ? 'passkey' : 'code'))
  })
  return (['password', 'passkey', 'code'] as const).filter((way) => ways.includes(way))
}
