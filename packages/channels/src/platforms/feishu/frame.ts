import type { Long, Reader, Writer } from 'protobufjs/minimal.js'

/**
 * One message of the long connection: `Frame` of the package `pbbp2` in the encoding of Protocol Buffers (proto2).
 * @see Feishu Open Platform, "Receive events through a long connection"; https://protobuf.dev/programming-guides/encoding
 */
export interface Frame {
  readonly seqId: bigint
  readonly logId: bigint
  /** The service id in the URL of the connection. */
  readonly service: number
  readonly method: number
  /** By key. When a key repeats, the last value wins, and only that one is sent back. */
  readonly headers: ReadonlyMap<string, string>
  readonly payloadEncoding?: string
  readonly payloadType?: string
  readonly payload?: Uint8Array
  readonly logIdNew?: string
}

/** Converts between frames and bytes. */
export interface FrameCodec {
  /** Returns the frame, or `null` when the bytes are malformed or a required field is missing. Never throws. */
  read(bytes: Uint8Array): Frame | null
  /** Returns bytes that `read` reads back as the same frame. */
  write(frame: Frame): Uint8Array
}

/** Value of `method` for pings and pongs. */
export const CONTROL = 0
/** Value of `method` for events. */
export const DATA = 1

/** Field numbers. */
const SEQ_ID = 1
const LOG_ID = 2
const SERVICE = 3
const METHOD = 4
const HEADERS = 5
const PAYLOAD_ENCODING = 6
const PAYLOAD_TYPE = 7
const PAYLOAD = 8
const LOG_ID_NEW = 9
const KEY = 1
const VALUE = 2

/** Wire types. */
const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** Feishu documents five. */
const MAX_HEADERS = 100

/** Loads the Protocol Buffers library, which takes about 4 MB: only a service that uses Feishu pays for it. */
export async function openFrameCodec(): Promise<FrameCodec> {
  // a CommonJS module whose names Node doesn't detect
  const { Reader, Writer } = (await import('protobufjs/minimal.js')).default
  return {
    read: (bytes) => readFrame((part) => readFields(Reader.create(part), part), bytes),
    write: (frame) => writeFrame(() => Writer.create(), frame),
  }
}

interface Field {
  readonly number: number
  readonly value: bigint | Uint8Array
}

/** Returns the fields of one message, or `null` when the bytes are malformed. */
type ReadFields = (bytes: Uint8Array) => readonly Field[] | null

function readFrame(read: ReadFields, bytes: Uint8Array): Frame | null {
  const fields = read(bytes)
  if (fields === null) return null
  const [seqId, logId] = [findNumber(fields, SEQ_ID), findNumber(fields, LOG_ID)]
  const [service, method] = [findNumber(fields, SERVICE), findNumber(fields, METHOD)]
  const headers = readHeaders(read, fields)
  if (seqId === null || logId === null || service === null || method === null || headers === null) return null
  const payload = findBytes(fields, PAYLOAD)
  return {
    seqId,
    logId,
    service: Number(BigInt.asIntN(32, service)),
    method: Number(BigInt.asIntN(32, method)),
    headers,
    ...toTextMember('payloadEncoding', findBytes(fields, PAYLOAD_ENCODING)),
    ...toTextMember('payloadType', findBytes(fields, PAYLOAD_TYPE)),
    ...(payload === null ? {} : { payload }),
    ...toTextMember('logIdNew', findBytes(fields, LOG_ID_NEW)),
  }
}

function writeFrame(create: () => Writer, frame: Frame): Uint8Array {
  const { seqId, logId, service, method, headers, payloadEncoding, payloadType, payload, logIdNew } = frame
  const out = create()
  const number = (field: number, value: bigint): void => void out.uint32((field << 3) | VARINT).uint64(toLong(value))
  const bytes = (field: number, value: Uint8Array): void => void out.uint32((field << 3) | BYTES).bytes(value)
  const text = (field: number, value: string): void => bytes(field, Buffer.from(value))
  number(SEQ_ID, seqId)
  number(LOG_ID, logId)
  number(SERVICE, BigInt(service))
  number(METHOD, BigInt(method))
  for (const [key, value] of headers) {
    const header = create()
    header.uint32((KEY << 3) | BYTES).bytes(Buffer.from(key))
    header.uint32((VALUE << 3) | BYTES).bytes(Buffer.from(value))
    bytes(HEADERS, header.finish())
  }
  if (payloadEncoding !== undefined) text(PAYLOAD_ENCODING, payloadEncoding)
  if (payloadType !== undefined) text(PAYLOAD_TYPE, payloadType)
  if (payload !== undefined) bytes(PAYLOAD, payload)
  if (logIdNew !== undefined) text(LOG_ID_NEW, logIdNew)
  return out.finish()
}

/** The last value of a field that does not repeat, or `null` when it is missing or has another wire type. */
function findNumber(fields: readonly Field[], number: number): bigint | null {
  const value = fields.findLast((field) => field.number === number)?.value
  return typeof value === 'bigint' ? value : null
}

function findBytes(fields: readonly Field[], number: number): Uint8Array | null {
  const value = fields.findLast((field) => field.number === number)?.value
  return value instanceof Uint8Array ? value : null
}

function readHeaders(read: ReadFields, fields: readonly Field[]): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  const all = fields.filter(({ number }) => number === HEADERS)
  if (all.length > MAX_HEADERS) return null
  for (const { value } of all) {
    const members = value instanceof Uint8Array ? read(value) : null
    const [key, text] = members === null ? [] : [findBytes(members, KEY), findBytes(members, VALUE)]
    if (!key || !text) return null
    headers.set(decodeText(key), decodeText(text))
  }
  return headers
}

function readFields(reader: Reader, bytes: Uint8Array): readonly Field[] | null {
  const fields: Field[] = []
  try {
    while (reader.pos < reader.len) {
      const field = readField(reader, bytes)
      if (field === null) return null
      if (field !== 'unknown') fields.push(field)
    }
    return fields
  } catch {
    return null // the library throws when the bytes end too early
  }
}

/**
 * Tags and lengths are read as 64-bit numbers and checked here: the library would cut off their upper bits.
 * @throws {Error} when the bytes end too early
 */
function readField(reader: Reader, bytes: Uint8Array): Field | 'unknown' | null {
  const tag = readNumber(reader)
  if (tag > 0xffff_ffffn) return null
  const number = Number(tag >> 3n)
  const type = Number(tag & 7n)
  if (type === FIXED_64 || type === FIXED_32) {
    reader.skip(type === FIXED_64 ? 8 : 4) // no known field has these types
    return 'unknown'
  }
  if (number === 0 || (type !== VARINT && type !== BYTES)) return null
  const value = readNumber(reader)
  if (type === VARINT) return { number, value }
  const start = reader.pos
  if (value > BigInt(reader.len - start)) return null
  if (value > 0n) reader.skip(Number(value))
  return { number, value: bytes.subarray(start, reader.pos) }
}

/**
 * Reads a varint. The library's own 64-bit numbers have a type that depends on a setting of the whole process, which other
 * users of the library change.
 * @throws {RangeError} when the bytes end too early or the number has more than ten
 */
function readNumber(reader: Reader): bigint {
  let value = 0n
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.pos < reader.len ? reader.buf[reader.pos++] : undefined
    if (byte === undefined) break
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return BigInt.asUintN(64, value)
  }
  throw new RangeError('malformed varint')
}

const toLong = (value: bigint): Long => {
  const low = Number(BigInt.asIntN(32, value))
  const high = Number(BigInt.asIntN(32, value >> 32n))
  return { low, high, unsigned: true }
}

const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const toTextMember = <K extends string>(name: K, bytes: Uint8Array | null): { readonly [N in K]?: string } =>
  // one member of this name, or none
  (bytes === null ? {} : { [name]: decodeText(bytes) }) as { readonly [N in K]?: string }

/** Reassembles payloads that arrive in pieces. */
export interface Fragments {
  /** @returns the whole payload; `null` while pieces are missing, and for a piece that cannot be. */
  join(frame: Frame, nowMs: number): Uint8Array | null
}

/** An incomplete payload is dropped after this time; Feishu redelivers it as a whole. */
const KEPT_MS = 10_000
/** Far above any event, together with what waits for its other pieces. */
const MAX_PIECES = 1_000
const MAX_BYTES = 16 * 1024 * 1024

interface Waiting {
  readonly sinceMs: number
  readonly pieces: Map<number, Uint8Array>
  bytes: number
}

/** Creates an empty collection of fragments. */
export function openFragments(): Fragments {
  const waiting = new Map<string, Waiting>()

  function forgetOld(nowMs: number): void {
    for (const [id, { sinceMs }] of waiting) if (nowMs - sinceMs >= KEPT_MS) waiting.delete(id)
  }

  /** The oldest goes first. */
  function makeRoom(bytes: number): void {
    let total = bytes
    for (const one of waiting.values()) total += one.bytes
    for (const [id, one] of waiting) {
      if (total <= MAX_BYTES) return
      waiting.delete(id)
      total -= one.bytes
    }
  }

  return {
    join(frame, nowMs) {
      const payload = frame.payload ?? new Uint8Array()
      const sum = whole(frame.headers.get('sum')) ?? 1
      if (sum <= 1) return payload
      const id = frame.headers.get('message_id') ?? ''
      const seq = whole(frame.headers.get('seq'))
      if (seq === null || seq >= sum || sum > MAX_PIECES) return null
      forgetOld(nowMs)
      makeRoom(payload.length)
      const one = waiting.get(id) ?? { sinceMs: nowMs, pieces: new Map<number, Uint8Array>(), bytes: 0 }
      waiting.set(id, one)
      one.bytes += payload.length - (one.pieces.get(seq)?.length ?? 0)
      one.pieces.set(seq, payload)
      const all = Array.from({ length: sum }, (_, index) => one.pieces.get(index)).filter(
        (piece) => piece !== undefined,
      )
      if (all.length < sum) return null
      waiting.delete(id)
      return Buffer.concat(all)
    },
  }
}

const whole = (value: string | undefined): number | null =>
  value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : null
