import { expect, it } from 'vitest'
import { createSealer } from '../kernel/crypto/crypto.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'

const OLD = 'a made-up key that only tests use, long enough'
const NEW = 'another made-up key of tests, as long as needed'

it('a sealed secret shows nothing, and opens with every key of now and before', () => {
  const sealed = sealSecret({ sealer: createSealer([OLD]), oldSite: { isInUse: false } }, 'JBSWY3DP')
  expect(sealed).not.toContain('JBSWY3DP')
  expect(openSecret(createSealer([NEW, OLD]), sealed)).toBe('JBSWY3DP')
})

it('clear text of an old site is taken as it is', () => {
  expect(openSecret(createSealer([NEW]), 'JBSWY3DP')).toBe('JBSWY3DP')
})

it.each([
  ['of another key', sealSecret({ sealer: createSealer([OLD]), oldSite: { isInUse: false } }, 'JBSWY3DP')],
  ['that was changed', `${sealSecret({ sealer: createSealer([NEW]), oldSite: { isInUse: false } }, 'JBSWY3DP')}A`],
  ['that is none', 'sealed:JBSWY3DP'],
])('a sealed secret %s is an error, never clear text', (_why, stored) => {
  expect(() => openSecret(createSealer([NEW]), stored)).toThrow("A stored secret can't be decrypted")
})
