import decodeQR from 'qr/decode.js'
import { expect, it } from 'vitest'
import { drawQr } from './draw-qr.ts'

/** Pixels per module, as a phone's camera sees it. */
const SCALE = 3

it('can be decoded', () => {
  const url = 'otpauth://totp/Gatepost:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatepost'
  const svg = drawQr(url)
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * SCALE
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y] of svg.matchAll(/M(\d+) (\d+)h1/g)) {
    for (let row = 0; row < SCALE; row++) {
      const start = ((Number(y) * SCALE + row) * side + Number(x) * SCALE) * 4
      for (let pixel = 0; pixel < SCALE; pixel++) data.fill(0, start + pixel * 4, start + pixel * 4 + 3)
    }
  }
  expect(decodeQR({ width: side, height: side, data })).toBe(url)
})
