import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { ProviderError } from '../exchange.ts'
import { xmlText } from '../wire/xml.ts'
import { samlLibrary } from './library.ts'
import { METADATA, POST_BINDING, PROTOCOL, REDIRECT_BINDING, XML_SIGNATURE } from './names.ts'
import { certificateBase64 } from './pem.ts'
import type { SamlSettings } from './settings.ts'

const element = (name: string, text: unknown, attributes = ''): string =>
  typeof text === 'string' && text !== '' ? `<md:${name}${attributes}>${xmlText(text)}</md:${name}>` : ''

const attribute = (name: string, value: string): string => (value === '' ? '' : ` ${name}="${xmlText(value)}"`)

/** What a provider is told about us. Metadata for SAML 2.0, section 2.4.4 */
export function metadataXml(settings: SamlSettings, id: string): string {
  const { service, metadata, signs, wants, nameIdFormat } = settings
  const descriptor = [
    `<md:SPSSODescriptor AuthnRequestsSigned="${signs.authnRequest}" WantAssertionsSigned="${wants.signedAssertion}"`,
    ` protocolSupportEnumeration="${PROTOCOL}">`,
    ...settings.certificates.map((certificate) => keyDescriptors(certificate, settings)),
    ...[REDIRECT_BINDING, POST_BINDING].map(
      (binding) => `<md:SingleLogoutService Binding="${binding}" Location="${xmlText(service.sls)}"/>`,
    ),
    element('NameIDFormat', nameIdFormat),
    `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${xmlText(service.acs)}" index="1" isDefault="true"/>`,
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

/** With our signature, first within the document, as its schema wants. @throws {ProviderError} `unknown` */
export async function signedMetadata(xml: string, settings: SamlSettings): Promise<string> {
  const { privateKey, signatureHash: signatureAlgorithm, digestHash: digestAlgorithm } = settings
  if (signatureAlgorithm === 'sha384' || digestAlgorithm === 'sha384') {
    throw new ProviderError('unknown', 'SAML: metadata cannot be signed with SHA-384')
  }
  const library = await samlLibrary()
  const options = { privateKey, signatureAlgorithm, digestAlgorithm }
  return library.signXml(xml, ENTITY, { reference: ENTITY, action: 'prepend' }, options)
}
