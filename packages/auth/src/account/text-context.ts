import type { Account } from './account.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'

/** Whether the user has a verified address. */
export async function hasVerifiedEmail(account: Account, request: Visit, user: User): Promise<boolean> {
  const addresses = await account.emails.ofUser(request.db, user.id)
  return addresses.some(({ verified }) => verified)
}

/** Returns the shared context of mail and text message templates: site, language and tag functions. */
export function textContext(account: Account, request: Visit): Readonly<Record<string, unknown>> {
  return {
    request: { path: request.url.pathname, method: request.method, language: request.language },
    current_site: request.site,
    site: request.site,
    has: (name: string) => account.kernel.has(name),
    /** Absolute: these texts are read elsewhere. */
    url: (name: string, params?: Readonly<Record<string, string>>) =>
      request.absolute(account.kernel.url(name, params)),
    asset: (name: string) => request.absolute(`${account.kernel.settings.pathPrefix}assets/${name}`),
    user_display: (user: User | null | undefined) => (user ? account.adapter.userDisplay(user) : ''),
    user_verified: (user: User | null | undefined) => (user ? hasVerifiedEmail(account, request, user) : false),
  }
}
