import type { ExchangeCall } from '../exchange.ts'

/**
 * What a page of an organisation gives: `redirectUri` is the address of its `acs/`, from which those of `sls/`,
 * `metadata/` and `login/` follow.
 */
export type SamlCall = Pick<ExchangeCall, 'io' | 'app' | 'redirectUri'>

/** A message as it came to `sls/`. */
export interface SamlMessage {
  /** `redirect`: of the query of a GET, `post`: of a form. */
  readonly binding: 'redirect' | 'post'
  readonly params: URLSearchParams
  /** The query as it was sent, without `?`: signatures of the redirect binding cover its octets. */
  readonly rawQuery: string
}

/** Whose session there it is. */
export interface SamlSubject {
  readonly nameId: string
  readonly nameIdFormat: string
  /** Empty: all of them. */
  readonly sessionIndex: string
}

/** What came to `sls/`; its signature, issuer, destination and time were checked. */
export type SamlLogout =
  /** Sign out here, then go to `redirectTo`, which tells the provider; `null`: it wants no answer. */
  | { readonly kind: 'request'; readonly subject: SamlSubject; readonly redirectTo: string | null }
  /** The answer to a request of ours; `inResponseTo` is its id. `success`: whether the provider signed out everywhere. */
  | { readonly kind: 'response'; readonly inResponseTo: string; readonly success: boolean }

/** Our metadata, XML (`text/xml`). @throws {ProviderError} `unknown` when the settings of the organisation make none */
export async function samlMetadata(call: SamlCall): Promise<string> {
  throw new Error(`not there yet: ${call.redirectUri}`)
}

/**
 * Which request of ours a `SAMLResponse` says it answers: the id of the state. Read without a check, which `finish` of
 * the exchange makes. `null`: none, so the provider began the login itself.
 */
export function samlInResponseTo(samlResponse: string): string | null {
  throw new Error(`not there yet: ${samlResponse.length}`)
}

/** Whether providers may begin a login: `finish` is then given an empty `kept`. */
export function acceptsUnsolicited(app: SamlCall['app']): boolean {
  throw new Error(`not there yet: ${app.clientId}`)
}

/** Reads a request or an answer of single logout. @throws {ProviderError} */
export async function samlLogout(call: SamlCall, message: SamlMessage): Promise<SamlLogout> {
  throw new Error(`not there yet: ${call.redirectUri} ${message.binding}`)
}

/** Where to send a visitor who signed out here; `null`: the provider has no single logout. @throws {ProviderError} */
export async function samlLogoutRequest(
  call: SamlCall,
  subject: SamlSubject,
): Promise<{ readonly id: string; readonly url: string } | null> {
  throw new Error(`not there yet: ${call.redirectUri} ${subject.nameId.length}`)
}
