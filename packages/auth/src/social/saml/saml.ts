import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { readXml, escapeXml } from '../wire/xml.ts'
import { loadIdentityProvider } from './identity-provider.ts'
import { samlLibrary } from './verified-assertion.ts'
import { type CheckedLogout, type CheckedLogoutRequest, checkLogout, type SamlMessage } from './logout.ts'
import {
  logoutRequest,
  logoutResponse,
  messageId,
  decodePostMessage,
  redirectUrl,
  type LogoutResult,
} from './messages.ts'
import { METADATA, POST_BINDING, PROTOCOL, REDIRECT_BINDING, XML_SIGNATURE } from './names.ts'
import { certificateBase64, readSamlSettings, allowsUnsolicited, type SamlSettings } from './settings.ts'
import type { SamlSubject } from './subject.ts'

/**
 * Input from a page of an organization: `redirectUri` is the URL of its `acs/`, from which those of `sls/` and
 * `metadata/` are derived.
 */
export type SamlCall = Pick<ExchangeCall, 'io' | 'app' | 'redirectUri'>

/** Returns our metadata as XML (`text/xml`). @throws {ProviderError} `unknown` if the app's settings don't suffice */
export async function samlMetadata({ io, app, redirectUri }: SamlCall): Promise<string> {
  const settings = readSamlSettings(app, redirectUri)
  const xml = metadataXml(settings, messageId(io.random))
  return settings.metadata.signed ? signedMetadata(xml, settings) : xml
}

/**
 * Returns the ID of the request that a `SAMLResponse` claims to answer, which is the state's ID. Unverified: the
 * exchange's `finish` checks it. `null` if it names none, so that the provider started the login.
 */
export function samlInResponseTo(samlResponse: string): string | null {
  try {
    return readXml(decodePostMessage(samlResponse)).attributes.get('InResponseTo') ?? null
  } catch {
    return null // `finish` reports what is wrong with it
  }
}

/** Returns whether the provider may start a login; `finish` then gets an empty `kept`. */
export const acceptsUnsolicited = (app: SamlCall['app']): boolean => allowsUnsolicited(app)

/** Checks a request or response of single logout. @throws {ProviderError} */
export async function samlLogout({ io, app, redirectUri }: SamlCall, message: SamlMessage): Promise<CheckedLogout> {
  const idp = await loadIdentityProvider({ io, app })
  return checkLogout(message, idp, readSamlSettings(app, redirectUri), io.clock.now())
}

/** Returns the URL that sends our response to the provider; `null` if it accepts none. @throws {ProviderError} */
export async function samlLogoutResponse(
  { io, app, redirectUri }: SamlCall,
  { id: inResponseTo, relayState }: CheckedLogoutRequest,
  result: LogoutResult,
): Promise<string | null> {
  const settings = readSamlSettings(app, redirectUri)
  const { sloResponseUrl: destination } = await loadIdentityProvider({ io, app })
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
 * Returns where to redirect a visitor who signed out here; `null` if the provider has no single logout or its app
 * turns it off.
 * @throws {ProviderError}
 */
export async function samlLogoutRequest(
  { io, app, redirectUri }: SamlCall,
  subject: SamlSubject,
): Promise<{ readonly id: string; readonly url: string } | null> {
  const settings = readSamlSettings(app, redirectUri)
  if (!settings.tellsLogout || subject.nameId === '') return null
  const { sloUrl: destination } = await loadIdentityProvider({ io, app })
  if (destination === null) return null
  const id = messageId(io.random)
  const xml = logoutRequest({ id, nowMs: io.clock.now(), destination, settings }, subject)
  const request = { param: 'SAMLRequest', xml, relayState: '', signs: settings.signs.logoutRequest } as const
  return { id, url: redirectUrl(destination, request, settings) }
}

const element = (name: string, text: unknown, attributes = ''): string =>
  typeof text === 'string' && text !== '' ? `<md:${name}${attributes}>${escapeXml(text)}</md:${name}>` : ''

const attribute = (name: string, value: string): string => (value === '' ? '' : ` ${name}="${escapeXml(value)}"`)

/** Returns our metadata. @see Metadata for SAML 2.0, section 2.4.4 */
function metadataXml(settings: SamlSettings, id: string): string {
  const { service, metadata, signs, wants, nameIdFormat } = settings
  const descriptor = [
    `<md:SPSSODescriptor AuthnRequestsSigned="${signs.authnRequest}" WantAssertionsSigned="${wants.signedAssertion}"`,
    ` protocolSupportEnumeration="${PROTOCOL}">`,
    ...settings.certificates.map((certificate) => keyDescriptors(certificate, settings)),
    ...[REDIRECT_BINDING, POST_BINDING].map(
      (binding) => `<md:SingleLogoutService Binding="${binding}" Location="${escapeXml(service.sls)}"/>`,
    ),
    element('NameIDFormat', nameIdFormat),
    `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escapeXml(service.acs)}" index="1" isDefault="true"/>`,
    '</md:SPSSODescriptor>',
  ]
  return [
    `<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${XML_SIGNATURE}" ID="${id}"`,
    attribute('entityID', service.entityId),
    attribute('validUntil', metadata.validUntil),
    attribute('cacheDuration', metadata.cacheDuration),
    `>${descriptor.join('')}${organizationXml(metadata.organization)}${contactsXml(metadata.contacts)}`,
    '</md:EntityDescriptor>',
  ].join('')
}

function keyDescriptors(certificate: string, { privateKey }: SamlSettings): string {
  const data = `<ds:X509Data><ds:X509Certificate>${certificateBase64(certificate)}</ds:X509Certificate></ds:X509Data>`
  const uses = privateKey === '' ? ['signing'] : ['signing', 'encryption']
  return uses
    .map((use) => `<md:KeyDescriptor use="${use}"><ds:KeyInfo>${data}</ds:KeyInfo></md:KeyDescriptor>`)
    .join('')
}

/** `{en: {name, displayname, url}}` */
function organizationXml(organization: JsonObject): string {
  const parts = (name: string, member: string): string =>
    Object.entries(organization)
      .map(([language, told]) => (isRecord(told) ? element(name, told[member], attribute('xml:lang', language)) : ''))
      .join('')
  const inner = `${parts('OrganizationName', 'name')}${parts('OrganizationDisplayName', 'displayname')}${parts('OrganizationURL', 'url')}`
  return inner === '' ? '' : `<md:Organization>${inner}</md:Organization>`
}

const CONTACTS = ['technical', 'support', 'administrative', 'billing', 'other']

/** `{technical: {givenName, emailAddress}}` */
function contactsXml(contacts: JsonObject): string {
  return CONTACTS.map((type) => {
    const told = contacts[type]
    if (!isRecord(told)) return ''
    const inner = `${element('GivenName', told['givenName'])}${element('EmailAddress', told['emailAddress'])}`
    return `<md:ContactPerson contactType="${type}">${inner}</md:ContactPerson>`
  }).join('')
}

const ENTITY = `/*[local-name(.)='EntityDescriptor' and namespace-uri(.)='${METADATA}']`

/** Returns metadata with our signature as its first child, as the schema requires. @throws {ProviderError} `unknown` */
async function signedMetadata(xml: string, settings: SamlSettings): Promise<string> {
  const { privateKey, signatureHash: signatureAlgorithm, digestHash: digestAlgorithm } = settings
  if (signatureAlgorithm === 'sha384' || digestAlgorithm === 'sha384') {
    throw new ProviderError('unknown', 'SAML: metadata cannot be signed with SHA-384')
  }
  const library = await samlLibrary()
  const options = { privateKey, signatureAlgorithm, digestAlgorithm }
  return library.signXml(xml, ENTITY, { reference: ENTITY, action: 'prepend' }, options)
}
