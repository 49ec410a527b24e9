import type { Login } from '../../account/login.ts'
import { outcomeAnswer } from '../../account/login/outcome-answer.ts'
import { loginAtStage } from '../../account/login/page-guards.ts'
import { entranceContext, nextContext } from '../../account/page-context.ts'
import type { Core } from '../../core.ts'
import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { PageRoute } from '../../kernel/http/route.ts'
import type { Visit } from '../../kernel/visit.ts'
import { shownDuration } from '../../kernel/templates/shown-time.ts'

const STAGE = 'mfa_trust'

/** Whether the second step is left out in this browser from now on. */
export const trustPages = (core: Core): readonly PageRoute[] => [
  {
    name: 'mfa_trust',
    path: '2fa/trust/',
    access: 'anon',
    GET: (request) => atStage(core, request, () => page(core, request)),
    POST: (request) => atStage(core, request, (login) => submit(core, request, login)),
  },
]

async function atStage(core: Core, request: Visit, work: (login: Login) => Promise<PageAnswer>): Promise<PageAnswer> {
  const found = await loginAtStage(core, request, STAGE)
  return 'answer' in found ? found.answer : work(found.login)
}

async function page(core: Core, request: Visit): Promise<PageAnswer> {
  const { trustCookieAge } = core.settings.mfa
  return {
    kind: 'page',
    template: 'mfa/trust',
    context: {
      ...(await entranceContext(core, request)),
      ...nextContext(request),
      trust_from: new Date(request.nowMs),
      trust_until: new Date(request.nowMs + trustCookieAge * 1_000),
      trust_duration: shownDuration(request.language, trustCookieAge),
    },
  }
}

/** Everything but the word itself is no. */
async function submit(core: Core, request: Visit, login: Login): Promise<PageAnswer> {
  if (request.form.get('action') === 'trust' && login.user !== null) await core.mfa.trust.trust(request, login.user)
  return outcomeAnswer(await core.login.resume(request, login))
}
