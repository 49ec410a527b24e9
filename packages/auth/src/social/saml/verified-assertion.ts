import { ProviderError } from '../exchange.ts'
import { findChildren, findElements, readXml, type XmlElement, XmlError } from '../wire/xml.ts'
import { ASSERTION, DIGESTS, findHash, PROTOCOL, RSA_SIGNATURES, XML_ENCRYPTION, XML_SIGNATURE } from './names.ts'
import type { SamlSettings } from './settings.ts'

const assertionError = (why: string): ProviderError => new ProviderError('unknown', `SAML: ${why}`)

/** A document, read by us before the library reads it. @throws {ProviderError} `unknown` */
export function samlXml(xml: string): XmlElement {
  try {
    return readXml(xml)
  } catch (cause) {
    if (cause instanceof XmlError) throw assertionError(`the message is no XML: ${cause.message}`)
    throw cause
  }
}

const ECDSA = /^http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#ecdsa-sha(256|384|512)$/
/** Ways of encryption with known attacks. */
const BROKEN_ENCRYPTION = /#(rsa-1_5|tripledes-cbc)$/

/** @throws {ProviderError} `unknown` for signatures and encryption that are broken */
function requireSound(root: XmlElement, { soundAlgorithms }: SamlSettings['wants']): void {
  if (!soundAlgorithms) return
  const algorithm = ({ attributes }: XmlElement): string => attributes.get('Algorithm') ?? ''
  const isSound = (hash: string | null): boolean => hash !== null && hash !== 'sha1'
  // Those of a `Reference`: a digest within an encrypted key is no signature's.
  const digests = findElements(root, XML_SIGNATURE, 'Reference').flatMap((reference) =>
    findChildren(reference, XML_SIGNATURE, 'DigestMethod'),
  )
  const sound = [
    ...findElements(root, XML_SIGNATURE, 'SignatureMethod')
      .map(algorithm)
      .map((uri) => isSound(findHash(RSA_SIGNATURES, uri)) || ECDSA.test(uri)),
    ...digests.map((digest) => isSound(findHash(DIGESTS, algorithm(digest)))),
    ...findElements(root, XML_ENCRYPTION, 'EncryptionMethod').map(
      (method) => !BROKEN_ENCRYPTION.test(algorithm(method)),
    ),
  ]
  if (sound.includes(false)) throw assertionError('an algorithm is not allowed any more')
}

/** What is to be checked, and by what. */
interface Check {
  readonly library: SamlLibrary
  readonly certificates: readonly string[]
  readonly settings: SamlSettings
}

const responseXPath = (name: string): string =>
  `/*[local-name()='Response' and namespace-uri()='${PROTOCOL}']/*[local-name()='${name}' and namespace-uri()='${ASSERTION}']`

/**
 * The one assertion of a response, read from the octets that a signature covers: of the response, or of the assertion.
 * @param xml A response that `samlXml` has read.
 * @throws {ProviderError} `unknown`
 * @see Core for SAML 2.0, section 5
 */
export async function verifyAssertion(
  xml: string,
  certificates: readonly string[],
  settings: SamlSettings,
): Promise<XmlElement> {
  requireSound(samlXml(xml), settings.wants)
  const check: Check = { library: await samlLibrary(), certificates, settings }
  const { library } = check
  const dom = await library.parseDomFromString(xml).catch(() => {
    throw assertionError('the message is no XML')
  })
  const signedResponse = getVerifiedXmlOrNull(check, xml, dom.documentElement)
  if (settings.wants.signedMessage && signedResponse === null) throw assertionError('the message is not signed')
  const mustBeSigned = settings.wants.signedAssertion || signedResponse === null
  // Of a signed response nothing is read but what its signature covers.
  const trusted = signedResponse === null || mustBeSigned ? xml : signedResponse
  const document = trusted === xml ? dom : await library.parseDomFromString(trusted)
  const plain = library.xpath.selectElements(document, responseXPath('Assertion'))
  const encrypted = library.xpath.selectElements(document, responseXPath('EncryptedAssertion'))
  const [only, ...others] = [...plain, ...encrypted]
  if (only === undefined || others.length > 0) throw assertionError('there must be one assertion')
  if (encrypted.length === 0) {
    if (settings.wants.encryptedAssertion) throw assertionError('the assertion is not encrypted')
    return assertionIn(mustBeSigned ? getVerifiedXmlOrNull(check, trusted, only) : only.toString())
  }
  const opened = await decryptAssertion(check, only)
  if (!mustBeSigned) return assertionIn(opened)
  return assertionIn(getVerifiedXmlOrNull(check, opened, (await library.parseDomFromString(opened)).documentElement))
}

/** Errors of the library quote the document. */
function getVerifiedXmlOrNull({ library, certificates }: Check, xml: string, node: DomNode): string | null {
  try {
    return library.getVerifiedXml(xml, node, certificates)
  } catch {
    throw assertionError('a signature is not as it should be')
  }
}

/** One answer for everything that can go wrong: what it was helps who guesses. */
async function decryptAssertion({ library, settings }: Check, node: DomNode): Promise<string> {
  const { privateKey, wants } = settings
  try {
    const opened = await library.decryptXml(node.toString(), privateKey)
    requireSound(samlXml(opened), wants)
    return opened
  } catch {
    throw assertionError('the assertion cannot be decrypted')
  }
}

function assertionIn(xml: string | null): XmlElement {
  if (xml === null) throw assertionError('there is no signature by the provider')
  const root = samlXml(xml)
  if (root.name !== 'Assertion' || root.namespace !== ASSERTION) {
    throw assertionError('what is signed is no assertion')
  }
  return root
}

/** A whole message that its own signature covers. @throws {ProviderError} `unknown` */
export async function verifyMessage(
  xml: string,
  certificates: readonly string[],
  settings: SamlSettings,
): Promise<XmlElement> {
  requireSound(samlXml(xml), settings.wants)
  const library = await samlLibrary()
  const check: Check = { library, certificates, settings }
  const { documentElement } = await library.parseDomFromString(xml)
  const signed = getVerifiedXmlOrNull(check, xml, documentElement)
  if (signed === null) throw assertionError('there is no signature by the provider')
  return samlXml(signed)
}

/** A node of a document, as the library has it: to be handed back to it. */
interface DomNode {
  toString(): string
}

/** What is used of the library: its own checks of signatures and its decryption. */
interface SamlLibrary {
  /** The XML that the signature of this very node covers; `null`: it has none, or none by these certificates. */
  getVerifiedXml(xml: string, node: DomNode, certificates: readonly string[]): string | null
  parseDomFromString(xml: string): Promise<{ readonly documentElement: DomNode }>
  decryptXml(xml: string, privateKey: string): Promise<string>
  readonly xpath: { selectElements(node: unknown, path: string): readonly DomNode[] }
  signXml(
    xml: string,
    xpath: string,
    location: { readonly reference: string; readonly action: 'append' | 'prepend' | 'before' | 'after' },
    options: { readonly privateKey: string; readonly signatureAlgorithm: string; readonly digestAlgorithm: string },
  ): string
}

/**
 * Loads the library, which only sites with SAML install.
 * @throws {ProviderError} `unknown` when it is not there
 */
export async function samlLibrary(): Promise<SamlLibrary> {
  try {
    const library: unknown = await import('@node-saml/node-saml/lib/xml.js')
    // Its own types are those of a browser's document, which are not known here.
    return library as SamlLibrary
  } catch (cause) {
    throw new ProviderError('unknown', 'SAML needs the package @node-saml/node-saml, version 5.1.0: install it', {
      cause,
    })
  }
}
