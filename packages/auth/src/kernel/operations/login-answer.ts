import type { LoginOutcome } from '../login.ts'
import { ImmediateResponse } from '../../errors.ts'
import type { ApiAnswer } from './operation.ts'

/** Converts a login outcome to a response. @throws {ImmediateResponse} returned by a hook */
export function loginAnswer(outcome: LoginOutcome): ApiAnswer {
  if (outcome.kind === 'response') throw new ImmediateResponse(outcome.response)
  return { kind: 'authentication' }
}
