import decodeQR from 'qr/decode.js'
import { describe, expect, it } from 'vitest'
import { otpauthUrl, qrCodeSvg } from './otpauth-url.ts'

describe('the QR code', () => {
  it.each([
    ['an ordinary name', 'ada@example.org'],
    ['the longest one', '😀'.repeat(500)],
  ])('of %s is read by a phone', async (_why, name) => {
    const url = otpauthUrl({ label: name, issuer: name, secret: 'JBSWY3DPEHPK3PXP'.repeat(2), digits: 8, period: 60 })
    expect(decodeQR(rasterizeQrCode(await qrCodeSvg(url)))).toBe(url)
  })

  it('is dark on white with a quiet zone of four modules, of any size', async () => {
    const svg = await qrCodeSvg('otpauth://totp/ada')
    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1])
    expect(svg).toContain(`<rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" `)
    expect(svg).not.toMatch(/<svg[^>]*(?:width|height)=/)
    const columns = Array.from(svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g), ([, x, y, length]) => [
      Number(x),
      Number(y),
      Number(x) + Number(length),
    ])
    expect(Math.min(...columns.flatMap(([x = 0, y = 0]) => [x, y]))).toBe(4)
    expect(Math.max(...columns.map(([, , end = 0]) => end))).toBe(size - 4)
  })
})

/** Its pixels, three for a module. */
function rasterizeQrCode(svg: string): { width: number; height: number; data: Uint8ClampedArray } {
  const side = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]) * 3
  const data = new Uint8ClampedArray(side * side * 4).fill(255)
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    for (let row = Number(y) * 3; row < Number(y) * 3 + 3; row++) {
      for (let column = Number(x) * 3; column < (Number(x) + Number(length)) * 3; column++) {
        data.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3)
      }
    }
  }
  return { width: side, height: side, data }
}
