import { ProviderError } from '../exchange.ts'
import { findChildren, findElements, readXml, type XmlElement, XmlError } from '../wire/xml.ts'
import { ASSERTION, DIGESTS, findHash, PROTOCOL, RSA_SIGNATURES, XML_ENCRYPTION, XML_SIGNATURE } from './names.ts'
import type { SamlSettings } from './settings.ts'

const assertionError = (why: string): ProviderError => new ProviderError('unknown', `SAML: ${why}`)

/** Parses a document with our own parser, before the library does. @throws {ProviderError} `unknown` */
export function samlXml(xml: string): XmlElement {
  try {
    return readXml(xml)
  } catch (cause) {
    if (cause instanceof XmlError) throw assertionError(`the message is no XML: ${cause.message}`)
    throw cause
  }
}

const ECDSA = /^http:\/\/www\.w3\.org\/2001\/04\/xmldsig-more#ecdsa-sha(256|384|512)$/
/** Encryption methods with known attacks. */
const BROKEN_ENCRYPTION = /#(rsa-1_5|tripledes-cbc)$/

/** Refuses broken signature and encryption methods. @throws {ProviderError} `unknown` */
function requireSound(root: XmlElement, { soundAlgorithms }: SamlSettings['wants']): void {
  if (!soundAlgorithms) return
  const algorithm = ({ attributes }: XmlElement): string => attributes.get('Algorithm') ?? ''
  const isSound = (hash: string | null): boolean => hash !== null && hash !== 'sha1'
  // Only those of a `Reference`: a digest in an encrypted key isn't part of a signature.
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

/** Input of the checks. */
interface Check {
  readonly library: SamlLibrary
  readonly certificates: readonly string[]
  readonly settings: SamlSettings
}

const responseXPath = (name: string): string =>
  `/*[local-name()='Response' and namespace-uri()='${PROTOCOL}']/*[local-name()='${name}' and namespace-uri()='${ASSERTION}']`

/**
 * Returns the only assertion of a response, parsed from what a signature (of the response or of the assertion) covers.
 * @param xml A response that `samlXml` accepts.
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
  // Reads only what the signature of a signed response covers, unless the assertion must be signed itself.
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

/** Returns the signed XML. Replaces errors of the library, which contain the document. */
function getVerifiedXmlOrNull({ library, certificates }: Check, xml: string, node: DomNode): string | null {
  try {
    return library.getVerifiedXml(xml, node, certificates)
  } catch {
    throw assertionError('a signature is not as it should be')
  }
}

/** Decrypts an assertion. Throws the same error for every failure, because the reason would help attackers. */
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

/** Returns a message that its own signature covers as a whole. @throws {ProviderError} `unknown` */
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

/** A node of the library's document, to pass back to it. */
interface DomNode {
  toString(): string
}

/** The parts of the library in use: signature checks, decryption, and signing. */
interface SamlLibrary {
  /** Returns the XML that this node's signature covers; `null` without a valid signature by these certificates. */
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
 * @throws {ProviderError} `unknown` if it isn't installed
 */
export async function samlLibrary(): Promise<SamlLibrary> {
  try {
    const library: unknown = await import('@node-saml/node-saml/lib/xml.js')
    // Its types need those of the DOM, which aren't available here.
    return library as SamlLibrary
  } catch (cause) {
    throw new ProviderError('unknown', 'SAML needs the package @node-saml/node-saml, version 5.1.0: install it', {
      cause,
    })
  }
}
