import type { Mfa } from '../second-factors.ts'
import { type ApiResource, createResource, implement } from '../../kernel/operations/operation.ts'
import { MFA_OPERATIONS } from './table.ts'
import { signedIn } from '../../account/signed-in.ts'
import { authenticatorsData } from './authenticator-data.ts'

/** Returns the operation that lists second factors. */
export const authenticatorsResources = (mfa: Mfa): readonly ApiResource[] =>
  mfa.kernel.settings.mfa.enabled ? [resource(mfa)] : []

const resource = (mfa: Mfa): ApiResource =>
  createResource([
    implement(MFA_OPERATIONS.listAuthenticators, async (visit) => ({
      kind: 'data',
      data: await authenticatorsData(mfa, visit, signedIn(visit)),
    })),
  ])
