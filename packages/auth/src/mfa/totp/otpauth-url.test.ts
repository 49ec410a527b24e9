import { expect, it } from 'vitest'
import { otpauthUrl } from './otpauth-url.ts'

const key = { label: 'ada@example.org', issuer: 'Example', secret: 'JBSWY3DPEHPK3PXP', digits: 6, period: 30 }

const cases: readonly [why: string, key: Partial<typeof key>, url: string][] = [
  ['what apps assume is left out', {}, 'otpauth://totp/ada%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=Example'],
  [
    'what they do not is said',
    { digits: 8, period: 60 },
    'otpauth://totp/ada%40example.org?secret=JBSWY3DPEHPK3PXP&issuer=Example&digits=8&period=60',
  ],
  [
    'names are escaped',
    { label: "Ada & Co: 'é'", issuer: 'A/B (ü)!*' },
    'otpauth://totp/Ada%20%26%20Co%3A%20%27%C3%A9%27?secret=JBSWY3DPEHPK3PXP&issuer=A%2FB%20%28%C3%BC%29%21%2A',
  ],
  [
    'half a character is replaced',
    { label: 'a\ud800' },
    'otpauth://totp/a%EF%BF%BD?secret=JBSWY3DPEHPK3PXP&issuer=Example',
  ],
]
it.each(cases)('%s', (_why, changes, url) => {
  expect(otpauthUrl({ ...key, ...changes })).toBe(url)
})
