import { createCipheriv, createPublicKey, generateKeyPairSync, publicEncrypt, randomBytes } from 'node:crypto'

/** Our own key of these tests. */
export const OUR_KEY: string = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()

const XENC = 'http://www.w3.org/2001/04/xmlenc#'

/** The assertion of a response, encrypted for us. XML Encryption Syntax and Processing 1.1 */
export function withEncryptedAssertion(xml: string, keyAlgorithm = `${XENC}rsa-oaep-mgf1p`): string {
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(xml)?.[0] ?? ''
  const [key, iv] = [randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const data = Buffer.concat([iv, cipher.update(assertion), cipher.final(), cipher.getAuthTag()])
  const wrapped = publicEncrypt({ key: createPublicKey(OUR_KEY), oaepHash: 'sha1' }, key)
  const digest = '<ds:DigestMethod Algorithm="http://www.w3.org/2000/09/xmldsig#sha1"/>'
  const value = (bytes: Buffer): string =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`
  const encryptedKey = `<xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="${keyAlgorithm}">${digest}</xenc:EncryptionMethod>${value(wrapped)}</xenc:EncryptedKey>`
  const encrypted = [
    '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">',
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Type="${XENC}Element">`,
    '<xenc:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>',
    `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${encryptedKey}</ds:KeyInfo>`,
    `${value(data)}</xenc:EncryptedData></saml:EncryptedAssertion>`,
  ]
  return xml.replace(assertion, encrypted.join(''))
}
