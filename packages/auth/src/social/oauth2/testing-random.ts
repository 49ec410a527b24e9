import { createHash } from 'node:crypto'
import type { RandomBytes } from '../../kernel/io.ts'

/** Bytes that differ at each call and are the same in each run. */
export function numberedBytes(): RandomBytes {
  let calls = 0
  return (length) => {
    calls += 1
    const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, at) =>
      createHash('sha256').update(`${calls}/${at}`).digest(),
    )
    return Buffer.concat(blocks).subarray(0, length)
  }
}
