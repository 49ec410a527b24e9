import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_PASSWORD_RULES } from '../settings/password-rules.ts'
import type { NewUser } from '../users/user.ts'
import { isCommonPassword, passwordProblems, isSimilar, similarity, type PasswordRuleOptions } from './rules.ts'

const account = { passwordMinLength: 6, passwordStrength: null }
const options: PasswordRuleOptions = { settings: { passwordValidators: DEFAULT_PASSWORD_RULES, account } }
const ada: NewUser = {
  username: 'analytical_engine',
  firstName: 'Augusta',
  lastName: 'Lovelace',
  email: 'ada.byron@poetical-science.example',
}
const listProblemCodes = async (password: string, given: PasswordRuleOptions = options): Promise<readonly string[]> =>
  (await passwordProblems(password, ada, given)).map(({ code }) => code)

describe('the rules for new passwords', () => {
  it.each([
    ['a good one', 'tangerine-orbit-42', []],
    ['of seven characters', 'k3!bQz9', ['password_too_short']],
    ['of eight, some of them outside the BMP', '🂡🂱🃁🃑🂢🂲🃂🃒', []],
    ['of seven, all of them outside the BMP', '🂡🂱🃁🃑🂢🂲🃂', ['password_too_short']],
    ['common', 'password', ['password_too_common']],
    ['common, in other letters', 'PassWord1', ['password_too_common']],
    ['digits', '8392017465', ['password_entirely_numeric']],
    ['digits of another script', '٨٣٩٢٠١٧٤٦٥', ['password_entirely_numeric']],
    ['several things at once', '123456', ['password_too_short', 'password_too_common', 'password_entirely_numeric']],
    ['the user name', 'Analytical_Engine', ['password_too_similar']],
    ['the user name and a digit', 'analytical_engine1', ['password_too_similar']],
    ['the last name, turned round', 'ecalevol', ['password_too_similar']],
    ['a part of the address', 'poetical1', ['password_too_similar']],
    ['the whole address', 'ada.byron@poetical-science.example', ['password_too_similar']],
  ])('%s', async (_why, password, expected) => {
    expect(await listProblemCodes(password)).toEqual(expected)
  })

  it('check the length of a password', async () => {
    expect(await passwordProblems('k3!bQz9', {}, options)).toEqual([
      {
        code: 'password_too_short',
        message: 'This password is too short. Use at least {min_length} characters.',
        values: { min_length: 8 },
      },
    ])
  })

  it('are the least length alone when none is configured', async () => {
    const none = { settings: { passwordValidators: [], account } }
    expect(await listProblemCodes('12345', none)).toEqual(['password_too_short'])
    expect(await listProblemCodes('123456', none)).toEqual([])
  })

  it('ask for strength where the settings do', async () => {
    const strong = { settings: { ...options.settings, account: { ...account, passwordStrength: 3 } } }
    expect(await listProblemCodes('qwerty12345!', strong)).toEqual(['password_too_weak'])
    expect(await listProblemCodes('tangerine-orbit-42-plinth', strong)).toEqual([])
  })

  it('check for breaches last, and only if all other rules pass', async () => {
    const asked: string[] = []
    const isBreached = (password: string): Promise<boolean> => {
      asked.push(password)
      return Promise.resolve(true)
    }
    expect(await listProblemCodes('tangerine-orbit-42', { ...options, isBreached })).toEqual(['password_breached'])
    expect(await listProblemCodes('password', { ...options, isBreached })).toEqual(['password_too_common'])
    expect(asked).toEqual(['tangerine-orbit-42'])
  })

  it('hold or not for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (password, username) => {
        const problems = await passwordProblems(password, { username, email: username }, options)
        expect(problems.every(({ code, message }) => code !== '' && message !== '')).toBe(true)
      }),
    )
  })
})

describe('similarity', () => {
  it.each([
    ['', '', 1],
    ['abc', '', 0],
    ['abcd', 'abcd', 1],
    ['abcd', 'dcba', 1],
    ['aab', 'abb', 2 / 3],
    ['abcd', 'bcde', 0.75],
  ])('of %j and %j', (left, right, ratio) => {
    expect(similarity(left, right)).toBeCloseTo(ratio)
    expect(similarity(right, left)).toBeCloseTo(ratio)
  })

  it('does not look at parts that are empty', () => {
    expect(isSimilar('', '@', 0.7)).toBe(false)
    expect(isSimilar('', '', 0.7)).toBe(false)
  })
})

it('the most common passwords are known', async () => {
  expect(await isCommonPassword('DRAGON')).toBe(true)
  expect(await isCommonPassword('tangerine-orbit-42')).toBe(false)
})
