import type { PageAnswer } from '../../kernel/http/answer.ts'
import type { LoginOutcome } from '../../kernel/login.ts'

/** What a page answers when a login has got somewhere. */
export const outcomeAnswer = (outcome: LoginOutcome): PageAnswer =>
  outcome.kind === 'response'
    ? { kind: 'response', response: outcome.response }
    : { kind: 'redirect', to: outcome.redirectTo }
