import type { Core } from '../core.ts'
import type { SocialAdapterInput } from './adapter.ts'
import type { SocialAccounts } from './social-accounts.ts'

/** Logins at providers of one instance: not there yet. @param core Asked at each call: they are part of it. */
export function createSocialAccounts(_core: () => Core, _input: SocialAdapterInput | undefined): SocialAccounts {
  const missing = (): never => {
    throw new Error('not there yet')
  }
  return new Proxy({}, { get: missing }) as SocialAccounts // a stub
}
