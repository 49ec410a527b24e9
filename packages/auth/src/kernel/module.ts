import type { VisitorUrls } from './http/visitor-url.ts'
import type { Forms } from './forms/form.ts'
import type { KernelHooks } from './hooks.ts'
import type { Kernel } from './kernel.ts'
import type { PageAnswer, PageRoute } from './http/route.ts'
import type { Login, LoginStage, ReauthenticationMethod } from './login.ts'
import type { ApiFlow, ApiResource } from './operations/operation.ts'
import type { AuthDb, User, UserId } from './users/user.ts'
import type { Visit } from './visit.ts'

/** Paths that a module answers without the frame of the pages. */
export interface Endpoints {
  handles(pathname: string): boolean
  /** Never rejects for what a client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

/** A module of one instance: the service for other code, and its contributions. */
export interface Module<Service, FormResults = Record<never, never>> {
  readonly service: Service
  readonly contributions: Contributions
  /** Carries the types of what saving its forms returns, by form id, to those of the host's overrides. Has no value. */
  readonly formResults?: FormResults
}

/** Inputs for creating a module, in addition to the account and the host's hooks. */
export interface ModuleContext {
  /** Finds the address that a visitor sees. @throws {AuthError} `host_unknown` */
  readonly locate: VisitorUrls
  /** Where visitors reach the server; `null`: loopback and `allowedHosts` only. */
  readonly origin: string | null
  /** What the modules before this one contribute. */
  readonly before: readonly Contributions[]
  /** Settings of the OpenID Connect provider that only code can give. */
  readonly oidc: OidcOptions
}

/** OpenID provider options that aren't settings. */
export interface OidcOptions {
  /**
   * Resources that access tokens may be requested for (RFC 8707): absolute URIs, or paths below the issuer such as
   * `/mcp`. Resource servers check the audience of a token.
   */
  readonly resources?: readonly string[]
  /** Scopes that clients may have which register themselves. Default: `openid`, `email`, `profile`. */
  readonly registrationScopes?: readonly string[]
}

/**
 * Contributions of a module to the package. Consumers iterate over the enabled modules in order (`kernel.modules`) and
 * know none of them by name.
 */
export interface Contributions {
  readonly pages?: readonly PageRoute[]
  /** Pages for staff: shown where the module `admin` is on, which checks who sees them. */
  readonly staffPages?: readonly PageRoute[]
  /** Stages of every login, after those of the modules before. */
  readonly loginStages?: readonly LoginStage[]
  /** Returns the values and functions that every page template can use. */
  templateContext?(visit: Visit): Readonly<Record<string, unknown>>
  /** Returns the ways in which a signed-in user can prove who they are. */
  reauthenticationMethods?(visit: Visit, user: User): Promise<readonly ReauthenticationMethod[]>
  /** Returns the arguments of `user_logged_in` as receivers see them, from what waited in the session as JSON. */
  loginSignalArguments?(
    visit: Visit,
    stored: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Returns whether this browser may skip a login code that is required as an additional step. */
  isTrustedBrowser?(visit: Visit, user: User): Promise<boolean>
  /** Returns whether the user may not add an address now. Runs in the transaction that would store it. */
  blocksNewAddress?(visit: Visit, user: User): Promise<boolean>
  /** Revokes what programs were given in a user's name: when the password is replaced or the account is disabled. */
  revokeAccess?(db: AuthDb, userId: UserId): Promise<void>
  /** Signs the visitor out where more than the session must end. `null`: not this module's sign-in. */
  logout?(visit: Visit, next: string): Promise<PageAnswer | null>
  /** Returns the absolute address of a page that the front end has; `null`: the settings name none. */
  frontendUrl?(visit: Visit, name: string, params?: Readonly<Record<string, string>>): string | null
  /** Called after the session of a signed-in user was stored. An error is logged and the request goes on. */
  sessionSaved?(visit: Visit, user: User): Promise<void>
  /** Loads the operations that this module adds to the JSON API under these settings. */
  operations?(): Promise<readonly ApiResource[]>
  /** Returns the module's public settings for front ends: members of `GET config`. */
  apiConfig?(visit: Visit): Promise<Readonly<Record<string, object>>>
  /** Returns the ways in that this module offers to a visitor who is not signed in. */
  entranceFlows?(visit: Visit): Promise<readonly ApiFlow[]>
  /** Returns the ways to prove again who a user is. @param offered Ids of the methods that the user has. */
  reauthenticationFlows?(visit: Visit, user: User, offered: readonly string[]): Promise<readonly ApiFlow[]>
  /** Returns flows that are listed last, whoever is signed in. */
  closingFlows?(visit: Visit): readonly ApiFlow[]
  /** Returns extra data for the flow of a pending stage, in addition to its id. */
  pendingFlowData?(visit: Visit, login: Login): Promise<Partial<ApiFlow>>
  /** Returns a user as the JSON API shows it. */
  serializeUser?(visit: Visit, user: User): Promise<Readonly<Record<string, unknown>>>
  /** Paths outside the pages that this module answers itself, such as those of a protocol. */
  readonly endpoints?: Endpoints
  /** Removes what is over. Called every hour. */
  sweep?(nowMs: number): Promise<void>
}

/** The kernel with the modules that are built on it. Frames and services have it; handlers have the kernel of their visit. */
export interface ConnectedKernel extends Kernel {
  readonly forms: Forms
  /** What the kernel asks accounts for. */
  readonly hooks: KernelHooks
  /** What the modules that are on contribute, in the order of the modules. */
  readonly modules: readonly Contributions[]
}
