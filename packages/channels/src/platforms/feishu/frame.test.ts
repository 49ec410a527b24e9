import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Frame, readFrame, writeFrame } from './frame.ts'

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

it('never throws for what anybody may send', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (any) => void readFrame(any)))
  const ping = bytes(PING)
  const cut = Array.from(ping, (_, length) => readFrame(ping.subarray(0, length)))
  expect(cut.map((frame) => frame !== null).lastIndexOf(true)).toBe(9) // all that is required, and no header
})
