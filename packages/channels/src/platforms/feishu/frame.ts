/**
 * One message of the long connection: `Frame` of the package `pbbp2` in the encoding of Protocol Buffers (proto2).
 * @see Feishu Open Platform, "Receive events through a long connection"; https://protobuf.dev/programming-guides/encoding
 */
export interface Frame {
  readonly seqId: bigint
  readonly logId: bigint
  /** As the address of the connection says. */
  readonly service: number
  readonly method: number
  /** By key; of several with one key the last counts, and only that goes back. */
  readonly headers: ReadonlyMap<string, string>
  readonly payloadEncoding?: string
  readonly payloadType?: string
  readonly payload?: Uint8Array
  readonly logIdNew?: string
}

/** Values of `method`. */
export const CONTROL = 0
export const DATA = 1

/** Numbers of the fields. */
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

/** How a value is laid out. */
const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const FIXED_32 = 5

/** Documented are five. */
const MOST_HEADERS = 100

/** @returns `null` when it is none, or when a required field is missing. */
export function readFrame(bytes: Uint8Array): Frame | null {
  const fields = readFields(bytes)
  if (fields === null) return null
  const [seqId, logId] = [numberIn(fields, SEQ_ID), numberIn(fields, LOG_ID)]
  const [service, method] = [numberIn(fields, SERVICE), numberIn(fields, METHOD)]
  const headers = readHeaders(fields)
  if (seqId === null || logId === null || service === null || method === null || headers === null) return null
  const payload = bytesIn(fields, PAYLOAD)
  return {
    seqId,
    logId,
    service: Number(BigInt.asIntN(32, service)),
    method: Number(BigInt.asIntN(32, method)),
    headers,
    ...textMember('payloadEncoding', bytesIn(fields, PAYLOAD_ENCODING)),
    ...textMember('payloadType', bytesIn(fields, PAYLOAD_TYPE)),
    ...(payload === null ? {} : { payload }),
    ...textMember('logIdNew', bytesIn(fields, LOG_ID_NEW)),
  }
}

/** Bytes that `readFrame` reads as the same frame. */
export function writeFrame(frame: Frame): Uint8Array {
  const { seqId, logId, service, method, headers, payloadEncoding, payloadType, payload, logIdNew } = frame
  const out: Uint8Array[] = [
    ...numberField(SEQ_ID, seqId),
    ...numberField(LOG_ID, logId),
    ...numberField(SERVICE, BigInt(service)),
    ...numberField(METHOD, BigInt(method)),
  ]
  for (const [key, value] of headers) {
    out.push(...bytesField(HEADERS, Buffer.concat([...textField(KEY, key), ...textField(VALUE, value)])))
  }
  if (payloadEncoding !== undefined) out.push(...textField(PAYLOAD_ENCODING, payloadEncoding))
  if (payloadType !== undefined) out.push(...textField(PAYLOAD_TYPE, payloadType))
  if (payload !== undefined) out.push(...bytesField(PAYLOAD, payload))
  if (logIdNew !== undefined) out.push(...textField(LOG_ID_NEW, logIdNew))
  return Buffer.concat(out)
}

interface Field {
  readonly number: number
  readonly value: bigint | Uint8Array
}

/** The last value of a number that is no list; one of another layout is not the field that is meant. */
function numberIn(fields: readonly Field[], number: number): bigint | null {
  const value = fields.findLast((field) => field.number === number)?.value
  return typeof value === 'bigint' ? value : null
}

function bytesIn(fields: readonly Field[], number: number): Uint8Array | null {
  const value = fields.findLast((field) => field.number === number)?.value
  return value instanceof Uint8Array ? value : null
}

function readHeaders(fields: readonly Field[]): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  const all = fields.filter(({ number }) => number === HEADERS)
  if (all.length > MOST_HEADERS) return null
  for (const { value } of all) {
    const members = value instanceof Uint8Array ? readFields(value) : null
    const [key, text] = members === null ? [] : [bytesIn(members, KEY), bytesIn(members, VALUE)]
    if (!key || !text) return null
    headers.set(decode(key), decode(text))
  }
  return headers
}

/** `null` when the bytes end too early, or are laid out in a way that is not known. */
function readFields(bytes: Uint8Array): readonly Field[] | null {
  const fields: Field[] = []
  let at = 0
  while (at < bytes.length) {
    const tag = readVarint(bytes, at)
    if (tag === null || tag.value > 0xffff_ffffn) return null
    const number = Number(tag.value >> 3n)
    const layout = Number(tag.value & 7n)
    at = tag.end
    if (layout === FIXED_64 || layout === FIXED_32) {
      at += layout === FIXED_64 ? 8 : 4 // no field that is known is laid out so
      if (at > bytes.length) return null
      continue
    }
    const head = layout === VARINT || layout === BYTES ? readVarint(bytes, at) : null
    if (number === 0 || head === null) return null
    at = head.end
    if (layout === VARINT) {
      fields.push({ number, value: head.value })
      continue
    }
    if (head.value > BigInt(bytes.length - at)) return null
    const end = at + Number(head.value)
    fields.push({ number, value: bytes.subarray(at, end) })
    at = end
  }
  return fields
}

/** Seven bits a byte, the lowest first, at most ten bytes; what is beyond 64 bits is cut off. */
function readVarint(bytes: Uint8Array, start: number): { readonly value: bigint; readonly end: number } | null {
  let value = 0n
  for (let n = 0; n < 10; n += 1) {
    const byte = bytes[start + n]
    if (byte === undefined) return null
    value |= BigInt(byte & 0x7f) << BigInt(7 * n)
    if (byte < 0x80) return { value: BigInt.asUintN(64, value), end: start + n + 1 }
  }
  return null
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Uint8Array.from([...bytes, Number(rest)])
}

const tag = (number: number, layout: number): Uint8Array => varint(BigInt((number << 3) | layout))
const numberField = (number: number, value: bigint): Uint8Array[] => [tag(number, VARINT), varint(value)]
const bytesField = (number: number, value: Uint8Array): Uint8Array[] => [
  tag(number, BYTES),
  varint(BigInt(value.length)),
  value,
]
const textField = (number: number, value: string): Uint8Array[] => bytesField(number, Buffer.from(value))

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const textMember = <K extends string>(name: K, bytes: Uint8Array | null): { readonly [N in K]?: string } =>
  // one member of this name, or none
  (bytes === null ? {} : { [name]: decode(bytes) }) as { readonly [N in K]?: string }

/** Puts together what comes in pieces. */
export interface Fragments {
  /** @returns the whole payload; `null` while pieces are missing, and for a piece that cannot be. */
  join(frame: Frame, nowMs: number): Uint8Array | null
}

/** What has not come together within this time comes again as a whole. */
const KEPT_MS = 10_000
/** Far above any event, together with what waits for its other pieces. */
const MOST_PIECES = 1_000
const MOST_BYTES = 16 * 1024 * 1024

interface Waiting {
  readonly sinceMs: number
  readonly pieces: Map<number, Uint8Array>
  bytes: number
}

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
      if (total <= MOST_BYTES) return
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
      if (seq === null || seq >= sum || sum > MOST_PIECES) return null
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
