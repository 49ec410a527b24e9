import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** An RSA signing key. Without the private key, it only verifies. */
export interface RsaKey {
  readonly privateKey: KeyObject | null
  readonly publicKey: KeyObject
}

const BLOCK = /-----BEGIN ([A-Z ]+)-----[\s\S]+?-----END \1-----/g
/** @see RFC 7518 section 3.3 */
const LEAST_BITS = 2048

/**
 * Parses the keys in PEM blocks, in order. The first one signs and must be private; the others may be public.
 * @returns `null` if any of them can't be parsed or isn't an RSA key of at least 2048 bits
 */
export function rsaKeys(pem: string): readonly [RsaKey & { readonly privateKey: KeyObject }, ...RsaKey[]] | null {
  const read = Array.from(pem.matchAll(BLOCK), ([block, label = '']) => readKey(block, label))
  const keys = read.filter((key) => key !== null)
  const [first, ...others] = keys
  if (keys.length < read.length || first === undefined || first.privateKey === null) return null
  return [{ ...first, privateKey: first.privateKey }, ...others]
}

function readKey(block: string, label: string): RsaKey | null {
  try {
    const privateKey = label.endsWith('PRIVATE KEY') ? createPrivateKey(block) : null
    const publicKey = createPublicKey(privateKey ?? block)
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0
    return publicKey.asymmetricKeyType === 'rsa' && bits >= LEAST_BITS ? { privateKey, publicKey } : null
  } catch {
    return null // the error could contain key material
  }
}
