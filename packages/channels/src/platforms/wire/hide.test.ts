import { expect, it } from 'vitest'
import { hiding } from './hide.ts'

it.each([
  ['bad token 1:abc', 'bad token ****'],
  ['/bot1%3Aabc/getMe, abc', '/bot1%3A****/getMe, ****'],
  ['two\r\nlines\u0000 and\ttabs', 'two lines and tabs'],
  ['x'.repeat(400), 'x'.repeat(300)],
  [`${'x'.repeat(299)}1:abc`, `${'x'.repeat(299)}*`],
])('shows %j as %j', (words, shown) => {
  expect(hiding('1:abc', 'abc', '')(words)).toBe(shown)
})
