import { expect, it } from 'vitest'
import { pictureType } from './picture-type.ts'

it.each([
  ['ffd8ffe000104a46494600', 'image/jpeg'],
  ['89504e470d0a1a0a0000', 'image/png'],
  ['474946383961', 'image/gif'],
  ['524946462400000057454250', 'image/webp'],
  ['524946462400000057415645', undefined],
  ['89504e47', undefined],
  ['', undefined],
])('takes what begins with %s for %s', (start, mime) => {
  expect(pictureType(Buffer.from(start, 'hex'))).toBe(mime)
})
