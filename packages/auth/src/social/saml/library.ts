import { ProviderError } from '../exchange.ts'

/** A node of a document, as the library has it: to be handed back to it. */
export interface DomNode {
  toString(): string
}

/** What is used of the library: its own checks of signatures and its decryption. */
export interface SamlLibrary {
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
