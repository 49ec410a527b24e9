import type { Headless } from './headless.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { ApiUser, HeadlessAdapter } from './adapter.ts'

/** What the hooks of the JSON API do unless the host has its own. */
export const headlessHooks = (headless: Headless): HeadlessAdapter => ({
  serializeUser: (request, user) => serializeUser(headless, request, user),
  getFrontendUrl: (request, name, params = {}) => frontendUrl(headless.kernel, request, name, params),
  getUserSchema: () => ({}),
  getClaims: () => ({}),
})

async function serializeUser(headless: Headless, request: Visit, user: User): Promise<ApiUser> {
  return {
    id: user.id,
    display: headless.account.adapter.userDisplay(user),
    email: user.email === '' ? await primaryEmail(headless, request, user) : user.email,
    username: user.username,
    has_usable_password: user.hasUsablePassword,
  }
}

/** Of users whose table has no place for the address. */
async function primaryEmail(headless: Headless, request: Visit, user: User): Promise<string> {
  const rows = await headless.account.emails.ofUser(request.db, user.id)
  return rows.find(({ primary }) => primary)?.email ?? ''
}

function frontendUrl(
  { settings }: Pick<Kernel, 'settings'>,
  request: Visit,
  name: string,
  params: Readonly<Record<string, string>>,
): string | null {
  const [, template] = Object.entries(settings.headless.frontendUrls).find(([known]) => known === name) ?? []
  if (template === undefined) return null
  // Encoded so that it means the same in a path and in a query.
  const fill = (whole: string, param: string): string =>
    Object.hasOwn(params, param) ? encodeURIComponent(params[param] ?? '') : whole
  return request.absolute(template.replaceAll(/\{(\w+)\}/g, fill))
}
