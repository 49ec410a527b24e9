import type { AccountAdapterInput } from './account/adapter.ts'
import type { AccountSignals } from './account/account.ts'
import type { AccountFormResults } from './account/form-results.ts'
import type { FormOverride } from './kernel/forms/form.ts'
import type { Signals } from './kernel/signals.ts'
import type { AuthSettings } from './kernel/settings/settings.ts'

type Settings = AuthSettings

/**
 * The modules other than `account`. Stages, methods, and flows follow this order. A module that's off isn't imported.
 * To delete a module, delete its folder and its line here.
 */
export const MODULES = {
  social: { isOn: ({ socialaccount }: Settings) => socialaccount.enabled, load: () => import('./social/module.ts') },
  mfa: { isOn: ({ mfa }: Settings) => mfa.enabled, load: () => import('./mfa/module.ts') },
  sessions: { isOn: ({ usersessions }: Settings) => usersessions.enabled, load: () => import('./sessions/module.ts') },
  oidc: { isOn: ({ idpOidc }: Settings) => idpOidc.enabled, load: () => import('./oidc/module.ts') },
  headless: { isOn: ({ headless }: Settings) => headless.enabled, load: () => import('./headless/module.ts') },
  admin: { isOn: () => true, load: () => import('./admin/module.ts') },
} as const

/** The name of a module other than `account`. */
export type ModuleName = keyof typeof MODULES
type Create<N extends ModuleName> = Awaited<ReturnType<(typeof MODULES)[N]['load']>>['createModule']

/** The services that a module provides to other code. */
export type ModuleService<N extends ModuleName> = ReturnType<Create<N>>['service']
/** The host's hooks, by module. */
export type Adapters = { readonly account?: AccountAdapterInput } & {
  readonly [N in ModuleName]?: Parameters<Create<N>>[1]
}

type EventsOf<N extends ModuleName> =
  ModuleService<N> extends { readonly signals: Signals<infer E> } ? E : Record<never, never>
/** The name of a signal of any module. */
export type SignalName = keyof AccountSignals | { [N in ModuleName]: keyof EventsOf<N> }[ModuleName]
/** All signals and their payloads, without the sender. */
export type AuthSignals = {
  [S in SignalName]: S extends keyof AccountSignals
    ? AccountSignals[S]
    : { [N in ModuleName]: S extends keyof EventsOf<N> ? EventsOf<N>[S] : never }[ModuleName]
}

type FormResults<N extends ModuleName> = NonNullable<ReturnType<Create<N>>['formResults']>
/** The ID of a form that a host can override. */
export type FormId = keyof AccountFormResults | { [N in ModuleName]: keyof FormResults<N> }[ModuleName]
/** The host's form overrides, by form ID. */
export type FormOverrides = {
  readonly [Id in FormId]?: FormOverride<
    Id extends keyof AccountFormResults
      ? AccountFormResults[Id]
      : { [N in ModuleName]: Id extends keyof FormResults<N> ? FormResults<N>[Id] : never }[ModuleName]
  >
}
