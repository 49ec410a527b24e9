import protobuf, { type Long, type Reader as ReaderType } from 'protobufjs/minimal.js'

const { Reader, Writer } = protobuf

/** One message of the long connection: protobuf (proto2), package `pbbp2`, message `Frame`. */
export interface Frame {
  readonly seqId: bigint
  readonly logId: bigint
  readonly service: number
  /** 0: control, 1: data. */
  readonly method: number
  /** In wire order; a key may repeat. */
  readonly headers: readonly (readonly [key: string, value: string])[]
  readonly payload: Uint8Array | null
}

/** Tags: field number and wire type. */
const SEQ_ID = (1 << 3) | 0
const LOG_ID = (2 << 3) | 0
const SERVICE = (3 << 3) | 0
const METHOD = (4 << 3) | 0
const HEADER = (5 << 3) | 2
const PAYLOAD = (8 << 3) | 2
const HEADER_KEY = (1 << 3) | 2
const HEADER_VALUE = (2 << 3) | 2

/** Returns the bytes of a frame. @see Protocol Buffers documentation, "Encoding" */
export function encodeFrame({ seqId, logId, service, method, headers, payload }: Frame): Uint8Array {
  const writer = Writer.create()
  writer.uint32(SEQ_ID).uint64(toLong(seqId)).uint32(LOG_ID).uint64(toLong(logId))
  writer.uint32(SERVICE).int32(service).uint32(METHOD).int32(method)
  for (const [key, value] of headers) {
    writer.uint32(HEADER).fork().uint32(HEADER_KEY).string(key).uint32(HEADER_VALUE).string(value).ldelim()
  }
  if (payload !== null) writer.uint32(PAYLOAD).bytes(payload)
  return writer.finish()
}

/** Returns the frame, or `null` when the bytes are truncated or a required field is missing. Unknown fields are skipped. */
export function decodeFrame(bytes: Uint8Array): Frame | null {
  const reader = Reader.create(bytes)
  let seqId: bigint | undefined
  let logId: bigint | undefined
  let service: number | undefined
  let method: number | undefined
  let payload: Uint8Array | null = null
  const headers: (readonly [string, string])[] = []
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      if (tag === SEQ_ID) seqId = decodeVarint(reader)
      else if (tag === LOG_ID) logId = decodeVarint(reader)
      else if (tag === SERVICE) service = reader.int32()
      else if (tag === METHOD) method = reader.int32()
      else if (tag === PAYLOAD) payload = reader.bytes()
      else if (tag === HEADER) headers.push(decodeHeader(reader.bytes()))
      else reader.skipType(tag & 7)
    }
  } catch {
    return null // the library throws on truncated or malformed input
  }
  if (seqId === undefined || logId === undefined || service === undefined || method === undefined) return null
  return { seqId, logId, service, method, headers, payload }
}

/** Returns the first header with this key. */
export const findHeader = (frame: Frame, key: string): string | undefined =>
  frame.headers.find(([name]) => name === key)?.[1]

/** @throws {Error} when the key or the value is missing */
function decodeHeader(bytes: Uint8Array): readonly [string, string] {
  const reader = Reader.create(bytes)
  let key: string | undefined
  let value: string | undefined
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    if (tag === HEADER_KEY) key = reader.string()
    else if (tag === HEADER_VALUE) value = reader.string()
    else reader.skipType(tag & 7)
  }
  if (key === undefined || value === undefined) throw new Error('incomplete header')
  return [key, value]
}

/** The library reads only the two halves. */
const toLong = (value: bigint): Long => {
  const low = Number(BigInt.asIntN(32, value))
  const high = Number(BigInt.asIntN(32, value >> 32n))
  return { low, high, unsigned: true }
}

/**
 * Decodes a varint of up to 64 bits. The type of the library's own depends on a setting of the whole process, which the
 * platform's SDK changes.
 * @throws {RangeError} when it is truncated or has more than ten bytes
 */
function decodeVarint(reader: ReaderType): bigint {
  let value = 0n
  for (let shift = 0n; shift < 70n && reader.pos < reader.len; shift += 7n) {
    const byte = reader.buf[reader.pos++] ?? 0
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return BigInt.asUintN(64, value)
  }
  throw new RangeError('malformed varint')
}
