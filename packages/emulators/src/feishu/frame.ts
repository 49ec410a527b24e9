/** One message of the long connection: protobuf (proto2), package `pbbp2`, message `Frame`. */
export interface Frame {
  readonly seqId: bigint
  readonly logId: bigint
  readonly service: number
  /** 0: control, 1: data. */
  readonly method: number
  /** In their order; a key may come twice. */
  readonly headers: readonly (readonly [key: string, value: string])[]
  readonly payload: Uint8Array | null
}

/** Wire types of protobuf. */
const VARINT = 0
const BYTES = 2

/** @see Protocol Buffers documentation, "Encoding" */
export function encodeFrame(frame: Frame): Buffer {
  return Buffer.concat([
    ...varintField(1, frame.seqId),
    ...varintField(2, frame.logId),
    ...varintField(3, BigInt(frame.service)),
    ...varintField(4, BigInt(frame.method)),
    ...frame.headers.flatMap(([key, value]) =>
      bytesField(5, Buffer.concat([...bytesField(1, Buffer.from(key)), ...bytesField(2, Buffer.from(value))])),
    ),
    ...(frame.payload === null ? [] : bytesField(8, frame.payload)),
  ])
}

/** Unknown fields are skipped. @returns null when it is no frame: cut off, or without a required field. */
export function decodeFrame(bytes: Uint8Array): Frame | null {
  const fields = readFields(bytes)
  const numbers = [1, 2, 3, 4].map((number) => fields?.find((field) => field.number === number)?.value)
  const [seqId, logId, service, method] = numbers
  if (!fields || typeof seqId !== 'bigint' || typeof logId !== 'bigint') return null
  if (typeof service !== 'bigint' || typeof method !== 'bigint') return null
  const headers = fields.filter(({ number }) => number === 5).map(({ value }) => readHeader(value))
  if (headers.includes(null)) return null
  const payload = fields.findLast(({ number }) => number === 8)?.value
  return {
    seqId,
    logId,
    service: Number(BigInt.asIntN(32, service)),
    method: Number(BigInt.asIntN(32, method)),
    headers: headers.filter((header) => header !== null),
    payload: payload instanceof Uint8Array ? payload : null,
  }
}

/** The first header of this name. */
export const headerOf = (frame: Frame, key: string): string | undefined =>
  frame.headers.find(([name]) => name === key)?.[1]

interface Field {
  readonly number: number
  readonly value: bigint | Uint8Array
}

function readHeader(value: bigint | Uint8Array): readonly [string, string] | null {
  const fields = value instanceof Uint8Array ? readFields(value) : null
  const [key, text] = [1, 2].map((number) => fields?.find((field) => field.number === number)?.value)
  if (!(key instanceof Uint8Array) || !(text instanceof Uint8Array)) return null
  return [Buffer.from(key).toString('utf8'), Buffer.from(text).toString('utf8')]
}

function readFields(bytes: Uint8Array): readonly Field[] | null {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint | null => {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) return null
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    return null
  }
  while (at < bytes.length) {
    const tag = varint()
    if (tag === null) return null
    const length = varint()
    if (length === null) return null
    const number = Number(tag >> 3n)
    if (Number(tag & 7n) === VARINT) fields.push({ number, value: BigInt.asUintN(64, length) })
    else if (Number(tag & 7n) === BYTES) {
      if (length > BigInt(bytes.length - at)) return null
      fields.push({ number, value: bytes.subarray(at, at + Number(length)) })
      at += Number(length)
    } else return null
  }
  return fields
}

const varintField = (number: number, value: bigint): Buffer[] => [varintOf(BigInt(number << 3)), varintOf(value)]

const bytesField = (number: number, value: Uint8Array): Uint8Array[] => [
  varintOf(BigInt((number << 3) | BYTES)),
  varintOf(BigInt(value.length)),
  value,
]

/** A negative number takes ten bytes, as protobuf has it. */
function varintOf(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    const low = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 0x80 : low)
  } while (rest > 0n)
  return Buffer.from(bytes)
}
