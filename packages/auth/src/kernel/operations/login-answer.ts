import type { LoginOutcome } from '../login.ts'
import { ImmediateResponse } from '../../errors.ts'
import type { ApiAnswer } from './operation.ts'

/** What is answered when a login has got somewhere. @throws {ImmediateResponse} the one that a hook has given */
export function loginAnswer(outcome: LoginOutcome): ApiAnswer {
  if (outcome.kind === 'response') throw new ImmediateResponse(outcome.response)
  return { kind: 'authentication' }
}
