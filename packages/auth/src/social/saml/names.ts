/** The namespace of the SAML 2.0 protocol. */
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
/** The namespace of assertions. */
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
/** The namespace of metadata. */
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata'
/** The namespace of XML Signature. */
export const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#'
/** The namespace of XML Encryption. */
export const XML_ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#'

/** The HTTP-Redirect binding. */
export const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect'
/** The HTTP-POST binding. */
export const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST'
/** The subject confirmation method "bearer". */
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'
/** The status of a successful response. */
export const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
/** The status of a request that failed because of the requester. */
export const REQUESTER = 'urn:oasis:names:tc:SAML:2.0:status:Requester'
/** The nested status of a request for an unknown user. */
export const UNKNOWN_PRINCIPAL = 'urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal'

/** The name id format "unspecified". */
export const FORMAT_UNSPECIFIED = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified'
/** The name id format "emailAddress". */
export const FORMAT_EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
/** The name id format "transient". */
export const FORMAT_TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** Names of the hash functions of signatures and digests. */
export const HASHES = ['sha256', 'sha384', 'sha512', 'sha1'] as const
/** A hash function of signatures and digests. */
export type Hash = (typeof HASHES)[number]

/** XML identifiers of the RSA signature methods. @see RFC 6931 section 2.3 */
export const RSA_SIGNATURES: Readonly<Record<Hash, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  sha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  sha1: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
}
/** The XML identifiers of the digest methods. */
export const DIGESTS: Readonly<Record<Hash, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
}

/** Returns the hash with this identifier in one of these tables, or `null`. */
export const findHash = (table: Readonly<Record<Hash, string>>, uri: string): Hash | null =>
  HASHES.find((hash) => table[hash] === uri) ?? null
