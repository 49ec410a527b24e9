import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { readXml } from '../xml.ts'
import { identityProviderOf } from './identity-provider.ts'
import { checkLogout, type SamlMessage } from './logout.ts'
import { logoutRequest, logoutResponse, messageId } from './messages.ts'
import { metadataXml, signedMetadata } from './metadata.ts'
import { decodedPost, redirectUrl } from './redirect-binding.ts'
import { readSamlSettings, takesUnsolicited } from './settings.ts'
import type { SamlSubject } from './subject.ts'

/**
 * What a page of an organisation gives: `redirectUri` is the address of its `acs/`, from which those of `sls/` and
 * `metadata/` follow.
 */
export type SamlCall = Pick<ExchangeCall, 'io' | 'app' | 'redirectUri'>

/** What came to `sls/`; its signature, issuer, destination and time were checked. */
export type SamlLogout =
  /** Sign out here, then go to `redirectTo`, which tells the provider; `null`: it wants no answer. */
  | { readonly kind: 'request'; readonly subject: SamlSubject; readonly redirectTo: string | null }
  /** The answer to a request of ours; `inResponseTo` is its id. `success`: whether the provider signed out everywhere. */
  | { readonly kind: 'response'; readonly inResponseTo: string; readonly success: boolean }

/** Our metadata, XML (`text/xml`). @throws {ProviderError} `unknown` when the settings of the organisation make none */
export async function samlMetadata({ io, app, redirectUri }: SamlCall): Promise<string> {
  const settings = readSamlSettings(app, redirectUri)
  const xml = metadataXml(settings, messageId(io.random))
  return settings.metadata.signed ? signedMetadata(xml, settings) : xml
}

/**
 * Which request of ours a `SAMLResponse` says it answers: the id of the state. Read without a check, which `finish` of
 * the exchange makes. `null`: none, so the provider began the login itself.
 */
export function samlInResponseTo(samlResponse: string): string | null {
  try {
    return readXml(decodedPost(samlResponse)).attributes.get('InResponseTo') ?? null
  } catch {
    return null // whoever reads it next says what is wrong with it
  }
}

/** Whether providers may begin a login: `finish` is then given an empty `kept`. */
export const acceptsUnsolicited = (app: SamlCall['app']): boolean => takesUnsolicited(app)

/** Reads a request or an answer of single logout. @throws {ProviderError} */
export async function samlLogout(call: SamlCall, message: SamlMessage): Promise<SamlLogout> {
  const settings = readSamlSettings(call.app, call.redirectUri)
  const idp = await identityProviderOf(call)
  const nowMs = call.io.clock.now()
  const checked = await checkLogout(message, idp, settings, nowMs)
  if (checked.kind === 'response') return checked
  const { id: inResponseTo, subject, relayState } = checked
  const { sloResponseUrl: destination } = idp
  if (destination === null) return { kind: 'request', subject, redirectTo: null }
  const xml = logoutResponse({ id: messageId(call.io.random), nowMs, destination, settings }, inResponseTo)
  const answer = { param: 'SAMLResponse', xml, relayState, signs: settings.signs.logoutResponse } as const
  return { kind: 'request', subject, redirectTo: redirectUrl(destination, answer, settings) }
}

/** Where to send a visitor who signed out here; `null`: the provider has no single logout. @throws {ProviderError} */
export async function samlLogoutRequest(
  call: SamlCall,
  subject: SamlSubject,
): Promise<{ readonly id: string; readonly url: string } | null> {
  if (subject.nameId === '') throw new ProviderError('unknown', 'SAML: it is not known whose session is to end')
  const settings = readSamlSettings(call.app, call.redirectUri)
  const idp = await identityProviderOf(call)
  if (idp.sloUrl === null) return null
  const id = messageId(call.io.random)
  const message = { id, nowMs: call.io.clock.now(), destination: idp.sloUrl, settings }
  const xml = logoutRequest(message, subject)
  const request = { param: 'SAMLRequest', xml, relayState: '', signs: settings.signs.logoutRequest } as const
  return { id, url: redirectUrl(idp.sloUrl, request, settings) }
}
