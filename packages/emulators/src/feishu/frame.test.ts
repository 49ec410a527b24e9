import { expect, it } from 'vitest'
import { decodeFrame, encodeFrame, type Frame } from './frame.ts'

const frames: readonly [why: string, frame: Frame][] = [
  [
    'an event',
    { seqId: 0n, logId: 7n, service: 33554678, method: 1, headers: [['type', 'event']], payload: Buffer.from('{}') },
  ],
  [
    'no payload, equal keys',
    {
      seqId: 0n,
      logId: 0n,
      service: 0,
      method: 0,
      headers: [
        ['a', ''],
        ['a', 'ä'],
      ],
      payload: null,
    },
  ],
  [
    'the ends of the numbers',
    {
      seqId: 2n ** 64n - 1n,
      logId: 2n ** 63n,
      service: -1,
      method: 2 ** 31 - 1,
      headers: [],
      payload: Buffer.alloc(300, 7),
    },
  ],
]
it.each(frames)('comes back as it was: %s', (_why, frame) => {
  const decoded = decodeFrame(encodeFrame(frame))
  expect(decoded && { ...decoded, payload: decoded.payload && Buffer.from(decoded.payload) }).toEqual(frame)
})

it('is laid out as the schema says', () => {
  const bytes = encodeFrame({
    seqId: 1n,
    logId: 300n,
    service: 2,
    method: 0,
    headers: [['k', 'v']],
    payload: Buffer.from('p'),
  })
  expect(Buffer.from(bytes).toString('hex')).toBe('080110ac02180220002a060a016b120176420170')
})

const broken: readonly [why: string, hex: string][] = [
  ['nothing', ''],
  ['cut off within a number', '0880'],
  ['a length beyond the end', '0801100118012000420570'],
  ['a required field is missing', '080110011801'],
  ['a group, which the schema does not have', '080110011801200043'],
  ['a number without end', `08${'ff'.repeat(11)}`],
  ['a header without a value', '08011001180120002a030a016b'],
]
it.each(broken)('refuses %s', (_why, hex) => {
  expect(decodeFrame(Buffer.from(hex, 'hex'))).toBeNull()
})
