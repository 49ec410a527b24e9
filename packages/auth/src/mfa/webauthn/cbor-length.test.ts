import { expect, it } from 'vitest'
import { cborLength } from './verify.ts'

// Of RFC 8949, appendix A; and of what no authenticator makes.
it.each<[hex: string, length: number | null]>([
  ['00', 1],
  ['1818', 2],
  ['1b000000e8d4a51000', 9],
  ['f97e00', 3],
  ['fb7ff8000000000000', 9],
  ['4401020304', 5],
  ['6161ff', 2],
  ['83010203', 4],
  ['8301820203820405', 8],
  ['a26161016162820203', 9],
  ['c074323031332d30332d32315432303a30343a30305a', 22],
  ['d818456449455446', 8],
  ['a000', 1],
  ['', null],
  ['18', null],
  ['4401', null],
  ['8201', null],
  ['9f01ff', null],
  ['5b7fffffffffffffff', null],
  ['bb7fffffffffffffff', null],
  ['81'.repeat(50_000), null],
  [`${'81'.repeat(50_000)}00`, 50_001],
])('%s', (hex, length) => {
  expect(cborLength(Buffer.from(hex, 'hex'))).toBe(length)
})
