import type { ExchangeCall } from '../exchange.ts'
import { readXml } from '../wire/xml.ts'
import { identityProviderOf } from './identity-provider.ts'
import { type CheckedLogout, type CheckedLogoutRequest, checkLogout, type SamlMessage } from './logout.ts'
import { logoutRequest, logoutResponse, type LogoutResult, messageId } from './messages.ts'
import { metadataXml, signedMetadata } from './metadata.ts'
import { decodedPost, redirectUrl } from './redirect-binding.ts'
import { readSamlSettings, takesUnsolicited } from './settings.ts'
import type { SamlSubject } from './subject.ts'

/**
 * What a page of an organisation gives: `redirectUri` is the address of its `acs/`, from which those of `sls/` and
 * `metadata/` follow.
 */
export type SamlCall = Pick<ExchangeCall, 'io' | 'app' | 'redirectUri'>

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
export async function samlLogout({ io, app, redirectUri }: SamlCall, message: SamlMessage): Promise<CheckedLogout> {
  const idp = await identityProviderOf({ io, app })
  return checkLogout(message, idp, readSamlSettings(app, redirectUri), io.clock.now())
}

/** The address that tells the provider what became of its request; `null`: it takes no answer. @throws {ProviderError} */
export async function samlLogoutResponse(
  { io, app, redirectUri }: SamlCall,
  { id: inResponseTo, relayState }: CheckedLogoutRequest,
  result: LogoutResult,
): Promise<string | null> {
  const settings = readSamlSettings(app, redirectUri)
  const { sloResponseUrl: destination } = await identityProviderOf({ io, app })
  if (destination === null) return null
  const head = { id: messageId(io.random), nowMs: io.clock.now(), destination, settings }
  const xml = logoutResponse(head, inResponseTo, result)
  return redirectUrl(
    destination,
    { param: 'SAMLResponse', xml, relayState, signs: settings.signs.logoutResponse },
    settings,
  )
}

/**
 * Where to send a visitor who signed out here; `null`: the provider has no single logout, or its app does not want it.
 * @throws {ProviderError}
 */
export async function samlLogoutRequest(
  { io, app, redirectUri }: SamlCall,
  subject: SamlSubject,
): Promise<{ readonly id: string; readonly url: string } | null> {
  const settings = readSamlSettings(app, redirectUri)
  if (!settings.tellsLogout || subject.nameId === '') return null
  const { sloUrl: destination } = await identityProviderOf({ io, app })
  if (destination === null) return null
  const id = messageId(io.random)
  const xml = logoutRequest({ id, nowMs: io.clock.now(), destination, settings }, subject)
  const request = { param: 'SAMLRequest', xml, relayState: '', signs: settings.signs.logoutRequest } as const
  return { id, url: redirectUrl(destination, request, settings) }
}
