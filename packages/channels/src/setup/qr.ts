import encodeQR from 'qr'

/** A QR code as an SVG document, dark on light with its quiet zone, so that it can be scanned on a dark page too. */
export const renderQr = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: 4 })
