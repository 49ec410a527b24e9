import { format, inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from './secret.ts'

const shown: readonly [why: string, text: string, mask: string][] = [
  ['a long secret shows its last four characters', '123456:ABCdefGHIjkl', '****Ijkl'],
  ['nine characters leave five hidden', '123456789', '****6789'],
  ['eight characters would leave only four hidden', '12345678', '****'],
  ['a short secret shows nothing', 'abcd', '****'],
  ['an empty secret looks the same', '', '****'],
  ['a character outside the basic plane is not cut in half', 'geheimnis-🗝️🗝️', '****🗝️🗝️'],
]
it.each(shown)('%s', (_why, text, mask) => {
  const secret = new Secret(text)
  expect(secret.reveal()).toBe(text)
  expect(String(secret)).toBe(mask)
  expect(`${String(secret)} ${[secret].join()}`).toBe(`${mask} ${mask}`)
  expect(JSON.stringify({ secret })).toBe(JSON.stringify({ secret: mask }))
  expect(inspect({ secret }, { showHidden: true, depth: 9 })).toContain(mask)
  expect(format('%s %o', secret, secret)).toContain(mask)
})

it('never yields the text by any way of copying', () => {
  const secret = new Secret('long-enough-to-be-a-token')
  const copies = [Object.assign({}, secret), structuredClone(secret), Object.entries(secret), Reflect.ownKeys(secret)]
  expect(inspect(copies, { showHidden: true })).not.toContain('long-enough')
})
