import { expect, it } from 'vitest'
import { advanceSetup, type SetupProgress, type Setup } from './setup-run.ts'

const at = (version: number, state: Setup['state'], others: Partial<Setup> = {}): Setup => ({
  id: 'one',
  platform: 'weixin',
  kind: 'qr',
  title: '',
  instructions: [],
  state,
  version,
  message: '',
  codes: 0,
  started_at: 0,
  expires_at: null,
  fields: [],
  facts: {},
  saved: false,
  first_user: null,
  error: null,
  ...others,
})
const NUMBER = [{ name: 'verify_code', label: 'the number', secret: false }]
const after = (...setups: readonly Setup[]): SetupProgress =>
  setups.reduce<SetupProgress>((run, setup) => advanceSetup(run, { setup }), { stage: 'starting' })

it('keeps the requested fields while they are checked, and counts the requests', () => {
  const asking = at(2, 'input_needed', { fields: NUMBER })
  expect(after(at(1, 'waiting'), asking, at(3, 'working'))).toMatchObject({ asked: NUMBER, asks: 1 })
  expect(after(asking, at(3, 'working'), at(4, 'input_needed', { fields: NUMBER }))).toMatchObject({ asks: 2 })
})

it('ignores a late response', () => {
  const known = after(at(5, 'done'))
  expect(advanceSetup(known, { setup: at(4, 'scanned') })).toBe(known)
  expect(advanceSetup(known, { error: new Error('gone') })).toBe(known)
  expect(advanceSetup(after(at(1, 'waiting')), { error: 'gone' })).toEqual({ stage: 'broken', error: 'gone' })
})
