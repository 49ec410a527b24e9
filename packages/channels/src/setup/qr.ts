import encodeQR from 'qr'

/** A QR code as an SVG document: black with a quiet zone, to be put on white. @see ISO/IEC 18004 */
export const renderQr = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: 4 })
