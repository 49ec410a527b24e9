import type { ApiResource } from '../../kernel/operations/operation.ts'
import type { Account } from '../account.ts'
import { sessionResources } from './session.ts'
import { loginResources } from './login.ts'
import { signupResources } from './signup.ts'
import { emailVerificationResources } from './email-verification.ts'
import { phoneVerificationResources } from './phone-verification.ts'
import { passwordResetResources } from './password-reset.ts'
import { loginCodeResources } from './login-code.ts'
import { reauthenticationResources } from './reauthentication.ts'
import { emailResources } from './email.ts'
import { phoneResources } from './phone.ts'
import { passwordChangeResources } from './password-change.ts'

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
