import { lineWriter } from './daily-file.ts'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatepost-'))
})
afterEach(() => rm(root, { recursive: true }))

it('keeps the order between what is written later and what is flushed', async () => {
  const file = join(root, 'file')
  const descriptor = openSync(file, 'a')
  const writer = lineWriter(descriptor, () => expect.unreachable())
  writer.write('1\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(readFileSync(file, 'utf8')).toBe('1\n')
  writer.write('2 é\n')
  writer.write('3\n')
  writer.flush()
  expect(readFileSync(file, 'utf8')).toBe('1\n2 é\n3\n')
  closeSync(descriptor)
})

it('tells what it cannot write, and goes on', () => {
  const file = join(root, 'file')
  closeSync(openSync(file, 'w'))
  const descriptor = openSync(file, 'r')
  const errors: unknown[] = []
  const writer = lineWriter(descriptor, (error) => errors.push(error))
  writer.write('1\n')
  writer.flush()
  expect(errors).toEqual([expect.objectContaining({ code: 'EBADF' })])
  writer.flush()
  expect(errors).toHaveLength(1)
  closeSync(descriptor)
})
