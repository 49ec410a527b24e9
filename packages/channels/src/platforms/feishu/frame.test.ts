import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { type Fragments, type Frame, openFragments, openFrameCodec } from './frame.ts'

const { read: readFrame, write: writeFrame } = await openFrameCodec()

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const hex = (frame: Frame): string => Buffer.from(writeFrame(frame)).toString('hex')

/** `type: ping` of service 300, as the encoding's documentation has it: tags, varints of seven bits, lengths. */
const PING = '0800 1000 18ac02 2000 2a0c 0a04 74797065 1204 70696e67'

it('writes and reads a ping byte for byte', () => {
  const ping: Frame = { seqId: 0n, logId: 0n, service: 300, method: 0, headers: new Map([['type', 'ping']]) }
  expect(hex(ping)).toBe(PING.replaceAll(' ', ''))
  expect(readFrame(bytes(PING))).toEqual(ping)
})

it('reads the fields in any order, and passes over those that it does not know', () => {
  const unknown = '5007 5a02 ffff 6101 02030405060708 6d01020304' // a number, bytes, 64 and 32 bits
  const payload = '4203 7b7d0a'
  expect(readFrame(bytes(`${payload} ${unknown} 2001 1801 1002 0801`))).toEqual({
    seqId: 1n,
    logId: 2n,
    service: 1,
    method: 1,
    headers: new Map(),
    payload: Buffer.from('{}\n'),
  })
})

it.each([
  ['nothing', ''],
  ['no method', '0800 1000 1801'],
  ['a header without a value', '0800 1000 1801 2000 2a06 0a04 74797065'],
  ['a number for the header', '0800 1000 1801 2000 2801'],
  ['bytes for the method', '0800 1000 1801 2201 00'],
  ['a length beyond the end', '0800 1000 1801 2000 42ff01 00'],
  ['a length beyond all memory', '0800 1000 1801 2000 42ffffffffffffffff7f'],
  ['a length of more than 32 bits', '0800 1000 1801 2000 42 8180808010 00'],
  ['a tag of more than 32 bits', '0800 1000 1801 2000 c080808080 01 00'],
  ['a number without an end', '0800 1000 1801 20ff'],
  ['a number of eleven bytes', '0800 1000 1801 20ffffffffffffffffffff01'],
  ['a group', '0800 1000 1801 2000 5b5c'],
  ['a field without a number', '0800 1000 1801 2000 0000'],
  ['64 bits cut off', '0800 1000 1801 2000 610102'],
])('reads no frame from %s', (_what, source) => {
  expect(readFrame(bytes(source))).toBeNull()
})

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })

it('reads what it wrote, ids of 64 bits included', () => {
  const headers = fc.array(fc.tuple(text, text), { maxLength: 6 }).map((all) => new Map(all))
  const required = { seqId: uint64, logId: uint64, service: int32, method: int32, headers }
  const payload = fc.uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all))
  const frame = fc.record(
    { ...required, payloadEncoding: text, payloadType: text, payload, logIdNew: text },
    { requiredKeys: ['seqId', 'logId', 'service', 'method', 'headers'] },
  )
  const same = fc.property(frame, (one) => {
    expect(readFrame(writeFrame(one))).toEqual(one)
  })
  fc.assert(same)
})

it("reads and writes the same after the platform's own SDK has reconfigured the library", async () => {
  const { default: protobuf } = await import('protobufjs/minimal.js')
  const { Long } = protobuf.util
  onTestFinished(() => {
    protobuf.util.Long = Long
    protobuf.configure()
  })
  Object.assign(protobuf.util, { Long: undefined })
  protobuf.configure()
  const ids = { seqId: 2n ** 64n - 1n, logId: 2n ** 40n + 7n }
  const frame: Frame = { ...ids, service: 300, method: 1, headers: new Map([['type', 'event']]) }
  expect(readFrame(writeFrame(frame))).toEqual(frame)
  expect(readFrame(bytes(PING))).toMatchObject({ service: 300 })
})

it('never throws for what anybody may send', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (any) => void readFrame(any)))
  const ping = bytes(PING)
  const cut = Array.from(ping, (_, length) => readFrame(ping.subarray(0, length)))
  expect(cut.map((frame) => frame !== null).lastIndexOf(true)).toBe(9) // all that is required, and no header
})

const piece = (text: string, headers: Readonly<Record<string, string>>): Frame => ({
  seqId: 0n,
  logId: 0n,
  service: 1,
  method: 1,
  headers: new Map(Object.entries(headers)),
  payload: Buffer.from(text),
})
const part = (id: string, seq: number, sum = 2): Readonly<Record<string, string>> => ({
  message_id: id,
  seq: String(seq),
  sum: String(sum),
})
const joined = (fragments: Fragments, frame: Frame, nowMs = 0): string | null =>
  fragments.join(frame, nowMs)?.toString() ?? null

it.each([
  ['says nothing of pieces', {}],
  ['is the only piece', part('a', 0, 1)],
  ['says nonsense of pieces', { sum: 'many', seq: 'x' }],
])('hands on at once what %s', (_what, headers) => {
  expect(joined(openFragments(), piece('whole', headers))).toBe('whole')
})

it('joins pieces in the order of their numbers, and each message for itself', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBeNull()
  expect(joined(fragments, piece('good', part('b', 0)))).toBeNull()
  expect(joined(fragments, piece('hel', part('a', 0)))).toBe('hello')
  expect(joined(fragments, piece('bye', part('b', 1)))).toBe('goodbye')
  expect(joined(fragments, piece('hel', part('a', 0)))).toBeNull()
})

it('counts a piece that comes twice once', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('hel', part('a', 0)))).toBeNull()
  expect(joined(fragments, piece('HEL', part('a', 0)))).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBe('HELlo')
})

it('forgets after 10 s what did not come together', () => {
  const fragments = openFragments()
  expect(joined(fragments, piece('hel', part('a', 0)), 0)).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)), 10_000)).toBeNull()
  expect(joined(fragments, piece('hel', part('a', 0)), 19_999)).toBe('hello')
})

it.each([
  ['its number is beyond the last', part('a', 2)],
  ['it has no number', { message_id: 'a', sum: '2' }],
  ['there are too many', part('a', 0, 1_001)],
])('drops a piece when %s', (_why, headers) => {
  const fragments = openFragments()
  expect(joined(fragments, piece('x', headers))).toBeNull()
  expect(joined(fragments, piece('lo', part('a', 1)))).toBeNull()
})

it('lets the oldest go before more than 16 MB wait', () => {
  const fragments = openFragments()
  const large = 'x'.repeat(4 * 1024 * 1024)
  for (const id of ['a', 'b', 'c', 'd', 'e']) expect(joined(fragments, piece(large, part(id, 0)))).toBeNull()
  expect(joined(fragments, piece('!', part('e', 1)))?.length).toBe(large.length + 1)
  expect(joined(fragments, piece('!', part('a', 1)))).toBeNull()
})
