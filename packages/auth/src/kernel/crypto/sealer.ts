import { createSealer as createByteSealer, deriveBytes, type SealingFormat } from '@gatepost/sql'
import { AuthError } from '../../errors.ts'
import type { RandomBytes } from '../io.ts'
import type { Sealer } from './crypto.ts'

/** Every text has its own key: so many may be sealed that random nonces under one key would repeat. */
const FORMAT: SealingFormat = {
  info: 'gatepost sealing key',
  saltBytes: 16,
  order: 'text_tag',
  keyId: (secret) => deriveBytes(secret, '', 'gatepost sealing key id', 6).toString('base64url'),
}

/**
 * Creates a sealer of texts that look like `<key id>.<base64url of salt, nonce, ciphertext, tag>`. Encrypts with the
 * first key, decrypts with all.
 * @param secretKeys Any text, 32 random characters or more.
 */
export function createSealer(secretKeys: readonly [string, ...string[]], random?: RandomBytes): Sealer {
  const sealer = createByteSealer(FORMAT, secretKeys, random)
  return {
    seal(text, context) {
      const { keyId, bytes } = sealer.seal(text, context)
      return `${keyId}.${Buffer.from(bytes).toString('base64url')}`
    },
    open(sealed, context) {
      const [keyId = '', body = ''] = sealed.split('.', 2)
      const text = sealer.open({ keyId, bytes: Buffer.from(body, 'base64url') }, context)
      if (text === null) throw new AuthError('secret_unreadable')
      return text
    },
  }
}
