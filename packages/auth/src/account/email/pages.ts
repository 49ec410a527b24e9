import type { Core } from '../../core.ts'
import type { PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { entranceContext } from '../page-context.ts'
import { showEmailCode, takeEmailCode } from './code-page.ts'
import { CONTRACT_PAGE } from './guard.ts'
import { showConfirmation, takeConfirmation } from './link-page.ts'
import { changeAddresses, showAddresses } from './management-page.ts'
import { EMAIL_STAGE_PAGE } from './stage.ts'

/** Path of the page where a visitor waits for a verification, and the name that the contract has for it. */
const WAITING = { path: 'confirm-email/', aliases: [CONTRACT_PAGE] } as const

/** Pages of a user's addresses and of their verification, by link or by code. */
export function emailPages(core: Core): readonly PageRoute[] {
  if (core.settings.socialaccount.only) return []
  const addresses: PageRoute = {
    name: 'account_email',
    path: 'email/',
    GET: showAddresses(core),
    POST: changeAddresses(core),
    access: 'auth',
    limit: { action: 'manage_email', per: 'user' },
  }
  return [addresses, ...(core.settings.account.emailVerificationByCodeEnabled ? byCode(core) : byLink(core))]
}

const byCode = (core: Core): readonly PageRoute[] => [
  { name: EMAIL_STAGE_PAGE, ...WAITING, GET: showEmailCode(core), POST: takeEmailCode(core), access: 'anon' },
]

const byLink = (core: Core): readonly PageRoute[] => [
  { name: EMAIL_STAGE_PAGE, ...WAITING, GET: showSent(core), access: 'anon' },
  {
    name: 'account_confirm_email',
    path: 'confirm-email/{key}/',
    GET: showConfirmation(core),
    POST: takeConfirmation(core),
    access: 'anon',
  },
]

const showSent =
  (core: Core): PageHandler =>
  async (request) => ({
    kind: 'page',
    template: 'account/verification_sent',
    context: await entranceContext(core, request),
  })
