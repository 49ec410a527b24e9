import { expect, it } from 'vitest'
import { isUnavailable, isUniqueViolation, SqlError, toSqlError } from './errors.ts'

const raw = (message: string, fields: object): Error => Object.assign(new Error(message), fields)
const sqlite = (errcode: number): Error => raw('sqlite', { code: 'ERR_SQLITE_ERROR', errcode })
const postgres = (code: string): Error => raw('postgres', { code, severity: 'ERROR' })

const cases: readonly [why: string, error: unknown, unavailable: boolean, unique: boolean][] = [
  ['locked', sqlite(5), true, false],
  ['locked while recovering (extended code)', sqlite(261), true, false],
  ['locked in a shared cache', sqlite(6), true, false],
  ['read-only', sqlite(8), true, false],
  ['input or output failed (extended code)', sqlite(778), true, false],
  ['full', sqlite(13), true, false],
  ['cannot be opened', sqlite(14), true, false],
  ['a wrong statement', sqlite(1), false, false],
  ['not null', sqlite(1299), false, false],
  ['a second unique value', sqlite(2067), false, true],
  ['a second primary key', sqlite(1555), false, true],
  ['shut down by the operator', postgres('57P01'), true, false],
  ['starting up', postgres('57P03'), true, false],
  ['disk full', postgres('53100'), true, false],
  ['too many connections', postgres('53300'), true, false],
  ['connection failure', postgres('08006'), true, false],
  ['password refused', postgres('28P01'), true, false],
  ['no such database', postgres('3D000'), true, false],
  ['deadlock', postgres('40P01'), true, false],
  ['undefined table', postgres('42P01'), false, false],
  ['a duplicate key', postgres('23505'), false, true],
  ['refused', raw('connect', { code: 'ECONNREFUSED' }), true, false],
  ['every address refused', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), true, false],
  ['terminated', new Error('Connection terminated unexpectedly'), true, false],
  ['no connection in time', new Error('timeout exceeded when trying to connect'), true, false],
  [
    'after an error of the connection',
    new Error('Client has encountered a connection error and is not queryable'),
    true,
    false,
  ],
  ['a system error that is none of these', raw('exists', { code: 'EEXIST' }), false, false],
  ['an error of the program', new TypeError('x is not a function'), false, false],
  ['wrapped', new SqlError('database_unavailable'), true, false],
  ['another of ours', new SqlError('value_invalid'), false, false],
  ['not an error', { code: 'ECONNREFUSED' }, false, false],
  ['nothing', undefined, false, false],
]
it.each(cases)('%s', (_why, error, unavailable, unique) => {
  expect([isUnavailable(error), isUniqueViolation(error)]).toEqual([unavailable, unique])
})

it('wraps what is unavailable, with the reason, and nothing else', () => {
  const full = sqlite(13)
  expect(toSqlError(full)).toMatchObject({
    code: 'database_unavailable',
    status: 503,
    details: { reason: 'SQLITE_FULL' },
    cause: full,
  })
  const other = new TypeError('x')
  expect(toSqlError(other)).toBe(other)
  const ours = new SqlError('database_unavailable')
  expect(toSqlError(ours)).toBe(ours)
})
