/**
 * How many bytes the first item takes, whatever is in it and however deep; `null`: it does not end, or its length is not
 * said in front, which authenticators must. @see RFC 8949 section 3, CTAP 2.1 section 8
 */
export function cborLength(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  for (let items = 1; items > 0; items--) {
    if (at >= bytes.length) return null
    const head = view.getUint8(at++)
    const [major, information] = [head >> 5, head & 31]
    if (information > 27) return null
    const size = information < 24 ? 0 : 2 ** (information - 24)
    if (at + size > bytes.length) return null
    const said = size === 0 ? information : numberAt(view, at, size)
    at += size
    if (major === 2 || major === 3) at += said
    if (major === 4) items += said
    if (major === 5) items += 2 * said
    if (major === 6) items += 1
  }
  return at <= bytes.length ? at : null
}

function numberAt(view: DataView, at: number, size: number): number {
  if (size === 1) return view.getUint8(at)
  if (size === 2) return view.getUint16(at)
  return size === 4 ? view.getUint32(at) : Number(view.getBigUint64(at))
}
