import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../http/answer.ts'
import type { AuthRequest } from '../../request.ts'
import { withNext } from '../page-context.ts'
import { settingUrl } from './setting-url.ts'

/**
 * With `reauthenticationRequired` a change needs somebody who has proved lately who they are: the page where the others
 * do so, and come back from. `null`: go on.
 */
export async function confirmFirst(core: Core, request: AuthRequest): Promise<PageAnswer | null> {
  if (!core.settings.account.reauthenticationRequired || (await core.login.isRecent(request))) return null
  const [first] = request.user === null ? [] : await core.adapter.getReauthenticationMethods(request, request.user)
  const here = `${request.url.pathname}${request.url.search}`
  return { kind: 'redirect', to: withNext(first?.url ?? settingUrl(core, core.settings.loginUrl), here) }
}
