import { encodeQR } from 'qr'

/** White modules around the code. @see ISO/IEC 18004 section 6.3.8 */
const QUIET_ZONE = 4

/** Draws a QR code as an SVG document, black on white in either theme. */
export function drawQr(text: string): string {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rows.length} ${rows.length}" shape-rendering="crispEdges">`,
    `<rect width="${rows.length}" height="${rows.length}" fill="#fff"/><path fill="#000" d="${path}"/></svg>`,
  ].join('')
}
