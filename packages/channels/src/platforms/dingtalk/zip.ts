import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** General purpose bit 11: the name is UTF-8. */
const UTF8 = 1 << 11
const DEFLATED = 8
const VERSION = 20
/** 1 January 1980, the first day that the format knows: an archive of the same file is always the same. */
const DATE = (1 << 5) | 1

/**
 * A zip archive that holds one file.
 * @see PKWARE APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end)
 */
export async function zipOf(name: string, content: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const path = Buffer.from(name)
  const packed = await deflate(content)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(VERSION, 0)
  common.writeUInt16LE(UTF8, 2)
  common.writeUInt16LE(DEFLATED, 4)
  common.writeUInt16LE(0, 6)
  common.writeUInt16LE(DATE, 8)
  common.writeUInt32LE(crc32(content), 10)
  common.writeUInt32LE(packed.length, 14)
  common.writeUInt32LE(content.length, 18)
  common.writeUInt16LE(path.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, path, packed])
  // version made by, then as above, then comment, disk and attributes, all empty, and the offset 0
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), word(VERSION), common, Buffer.alloc(14), path])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from('PK\x05\x06'), end])
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
