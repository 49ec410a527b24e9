import { AuthError } from '../../errors.ts'
import type { CheckedToken } from '../clients.ts'

/** Returns the access token of a guarded request. @throws {AuthError} `login_required` (401) if there is none */
export function requireAccessToken({ accessToken }: { readonly accessToken?: CheckedToken }): CheckedToken {
  if (accessToken === undefined) throw new AuthError('login_required')
  return accessToken
}
