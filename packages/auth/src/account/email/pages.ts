import type { Account } from '../account.ts'
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
export function emailPages(account: Account): readonly PageRoute[] {
  if (account.kernel.settings.socialaccount.only) return []
  const addresses: PageRoute = {
    name: 'account_email',
    path: 'email/',
    GET: showAddresses(account),
    POST: changeAddresses(account),
    access: 'auth',
    limit: { action: 'manage_email', per: 'user' },
  }
  return [
    addresses,
    ...(account.kernel.settings.account.emailVerificationByCodeEnabled ? byCode(account) : byLink(account)),
  ]
}

const byCode = (account: Account): readonly PageRoute[] => [
  { name: EMAIL_STAGE_PAGE, ...WAITING, GET: showEmailCode(account), POST: takeEmailCode(account), access: 'anon' },
]

const byLink = (account: Account): readonly PageRoute[] => [
  { name: EMAIL_STAGE_PAGE, ...WAITING, GET: showSent(account), access: 'anon' },
  {
    name: 'account_confirm_email',
    path: 'confirm-email/{key}/',
    GET: showConfirmation(account),
    POST: takeConfirmation(account),
    access: 'anon',
  },
]

const showSent =
  (account: Account): PageHandler =>
  async (request) => ({
    kind: 'page',
    template: 'account/verification_sent',
    context: await entranceContext(account, request),
  })
