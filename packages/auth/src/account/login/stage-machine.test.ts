import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LoginState } from '../../kernel/login.ts'
import { advance, createLoginState, nextStage, type StageEvent, hasShownStage } from './stage-machine.ts'

const KEYS = ['login_by_code', 'verify_phone', 'verify_email'] as const
const begun = createLoginState({})
const applyEvents = (state: LoginState, events: readonly StageEvent[]): LoginState =>
  events.reduce((current, event) => advance(current, event, KEYS), state)
const enter = (stage: string): StageEvent => ({ type: 'entered', stage })
const passed: StageEvent = { type: 'passed' }
const waited: StageEvent = { type: 'waited' }

describe('the stages of a login', () => {
  const legal: readonly [why: string, events: readonly StageEvent[], next: string | null, current: string | null][] = [
    ['begins at the first stage', [], 'login_by_code', null],
    ['a stage that is entered is not passed', [enter('login_by_code')], 'login_by_code', 'login_by_code'],
    ['a stage that waits is not passed', [enter('login_by_code'), waited], 'login_by_code', 'login_by_code'],
    ['may wait more than once', [enter('login_by_code'), waited, waited], 'login_by_code', 'login_by_code'],
    ['goes on to the next', [enter('login_by_code'), passed], 'verify_phone', 'login_by_code'],
    ['ends when all are passed', [...KEYS].flatMap((key) => [enter(key), passed]), null, 'verify_email'],
  ]
  it.each(legal)('%s', (_why, events, next, current) => {
    const state = applyEvents(begun, events)
    expect([nextStage(state, KEYS), state.current]).toEqual([next, current])
  })

  const illegal: readonly [why: string, events: readonly StageEvent[]][] = [
    ['passing before anything was entered', [passed]],
    ['waiting before anything was entered', [waited]],
    ['leaving out a stage', [enter('verify_email')]],
    ['passing a stage twice', [enter('login_by_code'), passed, passed]],
    ['going back', [enter('login_by_code'), passed, enter('login_by_code')]],
    ['a stage that there is not', [enter('mfa_authenticate')]],
    ['going on after the end', [...[...KEYS].flatMap((key) => [enter(key), passed]), enter('verify_email')]],
  ]
  it.each(illegal)('refuses %s', (_why, events) => {
    expect(() => applyEvents(begun, events)).toThrow(expect.objectContaining({ code: 'flow_wrong_stage', status: 409 }))
  })

  it("keeps the initial data of a stage, and the stage's own", () => {
    const told = createLoginState({ login_by_code: { initiatedByUser: true } })
    expect(applyEvents(told, [enter('login_by_code'), waited]).stages['login_by_code']).toEqual({
      handled: false,
      shown: true,
      data: { initiatedByUser: true },
    })
    const changed = applyEvents(told, [enter('login_by_code'), { type: 'waited', data: 1 }, passed])
    expect(changed.stages['login_by_code']).toEqual({ handled: true, shown: true, data: 1 })
  })

  it('knows whether the visitor has seen a page', () => {
    expect(hasShownStage(applyEvents(begun, [enter('login_by_code'), passed, enter('verify_phone'), passed]))).toBe(
      false,
    )
    expect(hasShownStage(applyEvents(begun, [enter('login_by_code'), waited, passed]))).toBe(true)
  })

  it('ends only after every stage was entered and passed, in order, whatever happens', () => {
    const events = fc.array(
      fc.oneof(fc.constantFrom(...KEYS, 'other').map(enter), fc.constant(passed), fc.constant(waited)),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(events, (tried) => {
        let state = begun
        const done: string[] = []
        for (const event of tried) {
          try {
            state = advance(state, event, KEYS)
            if (event.type === 'passed') done.push(state.current ?? '')
          } catch {
            continue
          }
        }
        expect(done).toEqual(KEYS.slice(0, done.length))
        expect(nextStage(state, KEYS)).toBe(KEYS[done.length] ?? null)
      }),
    )
  })
})
