// Types for hosts that add their own pages and hooks. Each module has its own entry, such as `@gatepost/auth/mfa`.
export type { Account } from './account/account.ts'
export type { ModuleName, ModuleService } from './compose.ts'
export type { Kernel } from './kernel/kernel.ts'
export type { ConnectedKernel } from './kernel/module.ts'
export type { SessionReference } from './kernel/sessions/session.ts'
export type { HostParts } from './options.ts'
export { signupView, type SignupView } from './account/signup/pages.ts'
export type { SignedUp } from './account/signup/signup-flow.ts'
