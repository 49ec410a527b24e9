import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LONG_SUITES } from './longest-first.ts'

it('names existing suites', () => {
  const root = join(import.meta.dirname, '..', '..')
  expect(LONG_SUITES.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
