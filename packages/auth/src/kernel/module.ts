import type { SealedTable } from '@gatepost/sql'
import type { VisitorUrls } from './http/visitor-url.ts'
import type { Forms } from './forms/form.ts'
import type { KernelHooks } from './hooks.ts'
import type { Kernel } from './kernel.ts'
import type { PageAnswer, PageRoute } from './http/route.ts'
import type { Login, LoginStage, ReauthenticationMethod } from './login.ts'
import type { ApiFlow, ApiResource } from './operations/operation.ts'
import type { AuthDb, User, UserId } from './users/user.ts'
import type { Visit } from './visit.ts'

/** Paths that a module serves itself, outside the dispatcher of the pages. */
export interface Endpoints {
  handles(pathname: string): boolean
  /** Never rejects, whatever the client sends. */
  fetch(request: Request, from: { readonly remoteAddress: string | null }): Promise<Response>
}

/** A module of one instance: its service for other code, and its contributions. */
export interface Module<Service, FormResults = Record<never, never>> {
  readonly service: Service
  readonly contributions: Contributions
  /** Only a type, never set: what saving each form returns, by form ID. The host's form overrides are typed with it. */
  readonly formResults?: FormResults
}

/** Inputs for creating a module, in addition to the account module and the host's hooks. */
export interface ModuleContext {
  /** Returns a request's URL as the visitor sees it. @throws {AuthError} `host_unknown` */
  readonly locate: VisitorUrls
  /**
   * The server's public origin; `null` if none is configured: then only loopback hosts and `allowedHosts` are served.
   */
  readonly origin: string | null
  /** The contributions of the modules before this one. */
  readonly before: readonly Contributions[]
  /** OpenID provider options that aren't settings. */
  readonly oidc: OidcOptions
}

/** OpenID provider options that aren't settings. */
export interface OidcOptions {
  /**
   * Resources that access tokens may be requested for (RFC 8707): absolute URIs, or paths below the issuer such as
   * `/mcp`. Resource servers check the audience of a token.
   */
  readonly resources?: readonly string[]
  /** Scopes available to clients that register dynamically. Default: `openid`, `email`, `profile`. */
  readonly registrationScopes?: readonly string[]
}

/**
 * A module's contributions to the package. Consumers iterate over the enabled modules in order (`kernel.modules`) and
 * don't refer to any by name.
 */
export interface Contributions {
  readonly pages?: readonly PageRoute[]
  /** Pages for staff. Served only if the module `admin` is on, which checks access. */
  readonly staffPages?: readonly PageRoute[]
  /** Stages that every login goes through, after those of earlier modules. */
  readonly loginStages?: readonly LoginStage[]
  /** Returns the values and functions that every page template can use. */
  templateContext?(visit: Visit): Readonly<Record<string, unknown>>
  /** Returns the ways in which a signed-in user can reauthenticate. */
  reauthenticationMethods?(visit: Visit, user: User): Promise<readonly ReauthenticationMethod[]>
  /** Restores the arguments of `user_logged_in` for its receivers from the JSON stored in the session. */
  loginSignalArguments?(
    visit: Visit,
    stored: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
  /** Returns whether this browser may skip a login code that is required as an additional step. */
  isTrustedBrowser?(visit: Visit, user: User): Promise<boolean>
  /** Returns whether the user may not add an email address now. Runs in the transaction that would store it. */
  blocksNewAddress?(visit: Visit, user: User): Promise<boolean>
  /**
   * Revokes the access that a user has granted to clients. Called when the password is replaced or the account is
   * disabled.
   */
  revokeAccess?(db: AuthDb, userId: UserId): Promise<void>
  /**
   * Removes ways to sign in that someone else may have added before the owner first proved that the account is theirs,
   * except those that this request's session has used. Runs in the transaction of the proof.
   */
  evictOthers?(visit: Visit, user: User): Promise<void>
  /** Signs the visitor out if more than the session must end. Returns `null` if the login isn't this module's. */
  logout?(visit: Visit, next: string): Promise<PageAnswer | null>
  /** Returns the absolute URL of a front-end page, or `null` if the settings have none. */
  frontendUrl?(visit: Visit, name: string, params?: Readonly<Record<string, string>>): string | null
  /** Called after a signed-in user's session is stored. An error is logged and the request continues. */
  sessionSaved?(visit: Visit, user: User): Promise<void>
  /** Loads the operations that this module adds to the JSON API under these settings. */
  operations?(): Promise<readonly ApiResource[]>
  /** Returns the module's public settings for front ends: members of the `GET config` response. */
  apiConfig?(visit: Visit): Promise<Readonly<Record<string, object>>>
  /** Returns the flows in which a signed-out visitor can sign in or up. */
  entranceFlows?(visit: Visit): Promise<readonly ApiFlow[]>
  /** Returns the flows in which the user can reauthenticate. @param offered IDs of the methods that the user has. */
  reauthenticationFlows?(visit: Visit, user: User, offered: readonly string[]): Promise<readonly ApiFlow[]>
  /** Returns the flows to list last, whether or not a user is signed in. */
  closingFlows?(visit: Visit): readonly ApiFlow[]
  /** Returns additional members for the flow of a pending stage. */
  pendingFlowData?(visit: Visit, login: Login): Promise<Partial<ApiFlow>>
  /** Returns a user as the JSON API shows it. */
  serializeUser?(visit: Visit, user: User): Promise<Readonly<Record<string, unknown>>>
  /** Paths outside the pages that this module serves itself, such as a protocol's endpoints. */
  readonly endpoints?: Endpoints
  /** Tables of this module that depend on the secret key. */
  readonly sealedTables?: readonly SealedTable[]
  /** Removes expired data. Called every hour. */
  sweep?(nowMs: number): Promise<void>
}

/**
 * The kernel with the modules built on it. The dispatcher and services use it; handlers use the kernel of their visit.
 */
export interface ConnectedKernel extends Kernel {
  readonly forms: Forms
  /** The decisions left to the `account` module. */
  readonly hooks: KernelHooks
  /** The contributions of the enabled modules, in module order. */
  readonly modules: readonly Contributions[]
}
