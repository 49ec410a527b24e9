import type { Mfa } from '../second-factors.ts'
import type { Account } from '../../account/account.ts'
import type { Login } from '../../kernel/login.ts'
import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { loginAtStage } from '../../account/login/page-guards.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { formatDuration } from '../../kernel/templates/time-text.ts'

const STAGE = 'mfa_trust'

/** Whether the second step is left out in this browser from now on. */
export const trustPages = (mfa: Mfa): readonly PageRoute[] => [
  {
    name: 'mfa_trust',
    path: '2fa/trust/',
    access: 'anon',
    GET: (request) => withTrustStage(mfa.account, request, () => renderTrustPage(mfa.account, request)),
    POST: (request) => withTrustStage(mfa.account, request, (login) => submit(mfa, request, login)),
  },
]

async function withTrustStage(
  account: Account,
  request: Visit,
  work: (login: Login) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const found = await loginAtStage(account, request, STAGE)
  return 'answer' in found ? found.answer : work(found.login)
}

async function renderTrustPage(account: Account, request: Visit): Promise<PageAnswer> {
  const { trustCookieAge } = account.kernel.settings.mfa
  return {
    kind: 'page',
    template: 'mfa/trust',
    context: {
      ...(await entranceContext(account, request)),
      ...nextContext(request),
      trust_from: new Date(request.nowMs),
      trust_until: new Date(request.nowMs + trustCookieAge * 1_000),
      trust_duration: formatDuration(request.language, trustCookieAge),
    },
  }
}

/** Everything but the word itself is no. */
async function submit(mfa: Mfa, request: Visit, login: Login): Promise<PageAnswer> {
  if (request.form.get('action') === 'trust' && login.user !== null) await mfa.trust.trust(request, login.user)
  return outcomeAnswer(await mfa.account.login.resume(request, login))
}
