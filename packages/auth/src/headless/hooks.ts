import type { Core } from '../core.ts'
import type { Visit } from '../kernel/visit.ts'
import type { User } from '../kernel/users/user.ts'
import type { ApiUser, HeadlessAdapter } from './adapter.ts'

/** What the hooks of the JSON API do unless the host has its own. */
export const headlessHooks = (core: () => Core): HeadlessAdapter => ({
  serializeUser: (request, user) => serializeUser(core(), request, user),
  getFrontendUrl: (request, name, params = {}) => frontendUrl(core(), request, name, params),
  getUserSchema: () => ({}),
  getClaims: () => ({}),
})

async function serializeUser(core: Core, request: Visit, user: User): Promise<ApiUser> {
  return {
    id: user.id,
    display: core.adapter.userDisplay(user),
    email: user.email === '' ? await primaryEmail(core, request, user) : user.email,
    username: user.username,
    has_usable_password: user.hasUsablePassword,
  }
}

/** Of users whose table has no place for the address. */
async function primaryEmail(core: Core, request: Visit, user: User): Promise<string> {
  const rows = await core.emails.ofUser(request.db, user.id)
  return rows.find(({ primary }) => primary)?.email ?? ''
}

function frontendUrl(
  { settings }: Core,
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
