import { expect, it } from 'vitest'
import { cacheOpened } from './session-store.sql.ts'

function createCountingCache(max?: number): {
  readonly open: ReturnType<typeof cacheOpened>
  readonly opened: string[]
} {
  const opened: string[] = []
  const open = cacheOpened((sealed) => {
    opened.push(sealed)
    return sealed === 'foreign' ? null : `open ${sealed}`
  }, max)
  return { open, opened }
}

it('opens changed data, and nothing twice', () => {
  const { open, opened } = createCountingCache()
  expect([open('a', '1'), open('a', '1'), open('b', '1'), open('a', '1'), open('a', '2')]).toEqual([
    'open a',
    'open a',
    'open b',
    'open a',
    'open a',
  ])
  expect(opened).toEqual(['a', 'b', 'a', 'a'])
})

it('does not cache data that cannot be opened', () => {
  const { open, opened } = createCountingCache()
  expect([open('foreign', '1'), open('foreign', '1'), open('a', '1')]).toEqual([null, null, 'open a'])
  expect(opened).toHaveLength(3)
})

it('evicts the oldest entry', () => {
  const { open, opened } = createCountingCache(2)
  for (const id of ['1', '2', '3', '3', '2', '1']) open('x', id)
  expect(opened).toHaveLength(4)
})

it('does not cache large data, so that visitors cannot fill the memory', () => {
  const { open, opened } = createCountingCache()
  const large = 'x'.repeat(8_193)
  expect([open(large, '1'), open(large, '1'), open('a', '1')]).toEqual([`open ${large}`, `open ${large}`, 'open a'])
  expect(opened).toHaveLength(3)
})
