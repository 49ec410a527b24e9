import { EMAIL_EFFECTS } from './email.ts'
import { HEADLESS_EFFECTS } from './headless.ts'
import { HOST_EFFECTS } from './host.ts'
import { LOGIN_EFFECTS } from './login.ts'
import { OIDC_EFFECTS } from './oidc.ts'
import { PASSWORD_EFFECTS } from './password.ts'
import { SECOND_FACTOR_EFFECTS } from './second-factors.ts'
import { SIGNUP_EFFECTS } from './signup.ts'
import { SOCIAL_EFFECTS } from './social.ts'

/** What each setting changes, as a visitor or client sees it. */
export const EFFECTS = [
  ...HOST_EFFECTS,
  ...LOGIN_EFFECTS,
  ...EMAIL_EFFECTS,
  ...PASSWORD_EFFECTS,
  ...SIGNUP_EFFECTS,
  ...SECOND_FACTOR_EFFECTS,
  ...HEADLESS_EFFECTS,
  ...OIDC_EFFECTS,
  ...SOCIAL_EFFECTS,
]
