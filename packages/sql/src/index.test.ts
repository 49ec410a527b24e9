import { expect, it } from 'vitest'
import * as entry from './index.ts'

it('exports these names', () => {
  expect(Object.keys(entry).toSorted()).toEqual([
    'SQL_ERRORS',
    'SqlError',
    'isUnavailable',
    'isUniqueViolation',
    'migrate',
    'openDatabase',
    'openPresence',
  ])
})
