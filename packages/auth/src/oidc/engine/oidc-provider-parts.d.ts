/** Modules of `oidc-provider`, imported directly because its entry point prints a warning on non-LTS runtimes. */
declare module 'oidc-provider/lib/provider.js' {
  export { default as Provider } from 'oidc-provider'
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  export const AccessDenied: typeof import('oidc-provider').errors.AccessDenied
  export const InvalidGrant: typeof import('oidc-provider').errors.InvalidGrant
  export const InvalidScope: typeof import('oidc-provider').errors.InvalidScope
  export const InvalidTarget: typeof import('oidc-provider').errors.InvalidTarget
  export const UnauthorizedClient: typeof import('oidc-provider').errors.UnauthorizedClient
}
declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  export const base: typeof import('oidc-provider').interactionPolicy.base
}
