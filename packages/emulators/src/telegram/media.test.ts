import { expect, it } from 'vitest'
import { openBench } from './wire-client.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

const pictures: readonly [why: string, bytes: Buffer, width: number, height: number][] = [
  ['a PNG', hex('89504e47 0d0a1a0a 0000000d 49484452 00000280 000001e0'), 640, 480],
  ['a JPEG', hex('ffd8 ffe0 0004 0000 ffc0 0011 08 01e0 0280 03'), 640, 480],
  ['a progressive JPEG', hex('ffd8 ffdb 0003 00 ffc4 0003 00 ffc2 0011 08 0010 0020 03'), 32, 16],
  ['a JPEG that is cut off', hex('ffd8 ffe0 4000 00'), 800, 600],
  ['segments of no length', hex('ffd8 ffe0 0000 ffe0 0000 ffe0 0000'), 800, 600],
  ['nothing', Buffer.alloc(0), 800, 600],
]
it.each(pictures)('gives the size of %s', async (_why, bytes, width, height) => {
  await using bench = await openBench()
  await bench.control.say({ from: 42, photo: { base64: bytes.toString('base64') } })
  const [update] = (await bench.control.updates()).pending
  expect(update?.update.message?.photo?.at(-1)).toMatchObject({ width, height, file_size: bytes.length })
})
