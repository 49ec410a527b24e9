import type { RandomBytes } from '../io.ts'

/** A random UUID. @see RFC 9562 section 5.4 */
export function uuidV4(random: RandomBytes): string {
  const bytes = random(16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  return formatUuid(bytes)
}

/** A UUID that sorts by the time of its making. @param nowMs Milliseconds since the Unix epoch. @see RFC 9562 section 5.7 */
export function uuidV7(nowMs: number, random: RandomBytes): string {
  const bytes = Buffer.concat([Buffer.alloc(6), random(10)])
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  return formatUuid(bytes)
}

function formatUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
