import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { Account } from '../account.ts'
import { sessionResources, loginResources, reauthenticationResources, loginCodeResources } from './login.ts'
import { signupResources } from './signup.ts'
import { emailVerificationResources, emailResources } from './email.ts'
import { phoneVerificationResources, phoneResources } from './phone.ts'
import { passwordResetResources, passwordChangeResources } from './password.ts'

/** Returns the operations that accounts add to the JSON API under these settings. */
export const accountResources = (account: Account): readonly ApiResource[] => [
  ...sessionResources(account),
  ...loginResources(account),
  ...signupResources(account),
  ...emailVerificationResources(account),
  ...phoneVerificationResources(account),
  ...passwordResetResources(account),
  ...loginCodeResources(account),
  ...reauthenticationResources(account),
  ...emailResources(account),
  ...phoneResources(account),
  ...passwordChangeResources(account),
]
