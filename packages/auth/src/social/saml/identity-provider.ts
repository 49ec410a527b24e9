import { requireSafeAddress } from '../apps/app-options.ts'
import { clockedCache } from '../wire/clocked-cache.ts'
import { type ExchangeCall, ProviderError } from '../exchange.ts'
import { askProvider, expectStatus } from '../wire/provider-reply.ts'
import { findChildren, findElements, readXml, type XmlElement, XmlError } from '../wire/xml.ts'
import { METADATA, PROTOCOL, REDIRECT_BINDING, XML_SIGNATURE } from './names.ts'
import { pemCertificate, readObjectSetting } from './settings.ts'

/** The identity provider of an organization. */
export interface IdentityProvider {
  readonly entityId: string
  /** Accepts requests by redirect. */
  readonly ssoUrl: string
  /** Accepts logout requests by redirect; `null` without single logout. */
  readonly sloUrl: string | null
  /** Accepts logout responses. */
  readonly sloResponseUrl: string | null
  /** PEM. A signature by any of them is accepted. */
  readonly certificates: readonly string[]
}

const DEFAULT_CACHE_SECONDS = 4 * 3_600
const what = 'the request for SAML metadata'

const cached = clockedCache<IdentityProvider>(200)

/** Returns the identity provider of an app, from its settings or cached metadata. @throws {ProviderError} `unknown` */
export async function loadIdentityProvider(call: Pick<ExchangeCall, 'io' | 'app'>): Promise<IdentityProvider> {
  const { io, app } = call
  const idp = readObjectSetting(app.settings, 'idp')
  const entityId = typeof idp['entity_id'] === 'string' ? idp['entity_id'] : app.providerId
  const { metadata_url: metadataUrl, metadata_cache_timeout: timeout } = idp
  if (typeof metadataUrl !== 'string' || metadataUrl === '') return readConfiguredProvider(entityId, idp)
  const address = requireSafeAddress(metadataUrl, 'idp.metadata_url')
  const key = `${entityId} ${address}`
  const known = cached.get(io.clock, key)
  if (known !== null) return known.value
  const reply = expectStatus(await askProvider(io, new Request(address), what), what)
  const found = readMetadata(reply.text, entityId, io.clock.now())
  const seconds = typeof timeout === 'number' && timeout >= 0 ? timeout : DEFAULT_CACHE_SECONDS
  cached.set(io.clock, key, found, seconds * 1_000)
  return found
}

function readConfiguredProvider(entityId: string, idp: Readonly<Record<string, unknown>>): IdentityProvider {
  const { sso_url: ssoUrl, slo_url: sloUrl, x509cert: certificate } = idp
  if (entityId === '' || typeof ssoUrl !== 'string') {
    throw new ProviderError('unknown', 'SAML: idp.entity_id, and idp.sso_url or idp.metadata_url are needed')
  }
  const certificates = (Array.isArray(certificate) ? certificate : [certificate]).filter(
    (one: unknown): one is string => typeof one === 'string' && one !== '',
  )
  const slo = typeof sloUrl === 'string' && sloUrl !== '' ? requireSafeAddress(sloUrl, 'idp.slo_url') : null
  return {
    entityId,
    ssoUrl: requireSafeAddress(ssoUrl, 'idp.sso_url'),
    sloUrl: slo,
    sloResponseUrl: slo,
    certificates: requireSome(certificates.map(pemCertificate)),
  }
}

/**
 * Reads the metadata of one provider, or of several, one of which has this entity ID.
 * @throws {ProviderError} `unknown`
 * @see Metadata for SAML 2.0, sections 2.3 and 2.4
 */
export function readMetadata(text: string, entityId: string, nowMs: number): IdentityProvider {
  const root = parseMetadata(text)
  const entities = root.name === 'EntityDescriptor' ? [root] : findElements(root, METADATA, 'EntityDescriptor')
  const entity = entities.find(
    ({ namespace, attributes }) => namespace === METADATA && attributes.get('entityID') === entityId,
  )
  const role = entity && findChildren(entity, METADATA, 'IDPSSODescriptor').find(speaksSaml2)
  if (entity === undefined || role === undefined) {
    throw new ProviderError('unknown', 'SAML: the metadata are not of idp.entity_id')
  }
  if ([root, entity, role].some((part) => hasExpired(part, nowMs))) {
    throw new ProviderError('unknown', 'SAML: the metadata are not valid any more')
  }
  const sso = findRedirectService(role, 'SingleSignOnService')?.get('Location')
  const slo = findRedirectService(role, 'SingleLogoutService')
  const sloUrl = slo?.get('Location')
  if (sso === undefined) throw new ProviderError('unknown', 'SAML: the provider takes no requests by redirect')
  const safeSlo = sloUrl === undefined ? null : requireSafeAddress(sloUrl, 'SingleLogoutService')
  return {
    entityId,
    ssoUrl: requireSafeAddress(sso, 'SingleSignOnService'),
    sloUrl: safeSlo,
    sloResponseUrl: safeSlo && requireSafeAddress(slo?.get('ResponseLocation') ?? safeSlo, 'SingleLogoutService'),
    certificates: requireSome(signingCertificates(role)),
  }
}

function parseMetadata(text: string): XmlElement {
  try {
    return readXml(text)
  } catch (cause) {
    if (cause instanceof XmlError) throw new ProviderError('unknown', `SAML: the metadata are ${cause.message}`)
    throw cause
  }
}

const speaksSaml2 = ({ attributes }: XmlElement): boolean =>
  (attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL)

function hasExpired({ attributes }: XmlElement, nowMs: number): boolean {
  const until = attributes.get('validUntil')
  // Negated, so that `NaN` counts as expired.
  return until !== undefined && !(Date.parse(until) > nowMs)
}

const findRedirectService = (role: XmlElement, name: string): ReadonlyMap<string, string> | undefined =>
  findChildren(role, METADATA, name).find(({ attributes }) => attributes.get('Binding') === REDIRECT_BINDING)
    ?.attributes

/** Returns all signing certificates: a provider that changes its key has two for a while. */
const signingCertificates = (role: XmlElement): readonly string[] =>
  findChildren(role, METADATA, 'KeyDescriptor')
    .filter(({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing')
    .flatMap((descriptor) => findElements(descriptor, XML_SIGNATURE, 'X509Certificate'))
    .map((element) => pemCertificate(element.text))

function requireSome(certificates: readonly string[]): readonly string[] {
  if (certificates.length === 0) throw new ProviderError('unknown', 'SAML: there is no certificate of the provider')
  return certificates
}
