import type { LoginOutcome } from '../kernel/login.ts'

/** What `save` of each form of social login returns, by form id. */
export interface SocialFormResults {
  socialaccount_signup: LoginOutcome
  disconnect: void
}
