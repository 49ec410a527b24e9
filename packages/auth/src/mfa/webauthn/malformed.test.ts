import { testDatabases } from '@gatepost/sql/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { InvalidInput } from '../../errors.ts'
import type { SoftwareAuthenticator } from '../../testing/authenticator.ts'
import {
  addKey,
  requestAssertionOptions,
  type Browser,
  creation,
  key,
  type KeyWorld,
  keyWorld,
  requireUser,
} from './testing-bench.ts'

const RUNS = { numRuns: 150 }
/** The limit of a test: a hundred and fifty ceremonies. */
const LONG_MS = 60_000

let world: KeyWorld
let browser: Browser
let passkey: SoftwareAuthenticator

beforeAll(async () => {
  const [sqlite] = testDatabases
  if (sqlite === undefined) throw new Error('there is no test database')
  world = await keyWorld(sqlite[1], { account: { rateLimits: false } })
  ;({ browser } = await world.signedIn('ada'))
  passkey = key()
  await addKey(browser, passkey, { passwordless: true })
})
afterAll(() => world.close())

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    '',
    '=',
    'AA==',
    'ÿ',
    '\0',
    [],
    {},
    '__proto__',
    'AAAA',
    'x'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.jsonValue(),
)
/** Maps, arrays and lengths that go deep or say more than there is. */
const nastyCbor = fc.oneof(
  fc
    .constantFrom(
      '9fff',
      'bfff',
      '5b7fffffffffffffff',
      '9a7fffffff',
      'ba7fffffff',
      '81'.repeat(20_000),
      'a1'.repeat(20_000),
      'f97e00',
      'fb7ff8000000000000',
      'c249010000000000000000',
    )
    .map((hex) => Buffer.from(hex, 'hex')),
  fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
)
const PATHS = [
  [],
  ['id'],
  ['rawId'],
  ['type'],
  ['response'],
  ['response', 'clientDataJSON'],
  ['response', 'attestationObject'],
  ['response', 'authenticatorData'],
  ['response', 'signature'],
  ['response', 'userHandle'],
] as const
/** Client data, with one member replaced. */
const clientData = fc.tuple(
  fc.constantFrom('type', 'challenge', 'origin', 'crossOrigin', 'topOrigin', 'tokenBinding'),
  nasty,
)

type Json = Readonly<Record<string, unknown>>

const replaceMember = (value: Json, [name, ...rest]: readonly string[], by: unknown): Json =>
  name === undefined
    ? (Object(by) as Json)
    : { ...value, [name]: rest.length === 0 ? by : replaceMember(Object(value[name]) as Json, rest, by) } // objects of anything

const hasOnlyError = (error: unknown): boolean =>
  error instanceof InvalidInput &&
  JSON.stringify(error.errors.map(({ code, param }) => [code, param])) === '[["incorrect_code","credential"]]'

/** What came of it: `null` for a credential that was taken. */
const outcome = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work
    return null
  } catch (error) {
    return hasOnlyError(error) ? 'refused' : error
  }
}

const add = (credential: Json) =>
  outcome(browser((visit, flow) => flow.add(visit, requireUser(visit), { name: '', credential })))
const login = (visitor: Browser, credential: Json) => outcome(visitor((visit, flow) => flow.login(visit, credential)))
const register = async (): Promise<Json> => key().create(await creation(browser))

it('refuses a new key that is broken anywhere, and nothing else happens', { timeout: LONG_MS }, async () => {
  const needed = PATHS.filter((path) => !['authenticatorData', 'signature', 'userHandle'].includes(path.at(-1) ?? ''))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...needed), nasty, async (path, by) => {
      expect(await add(replaceMember(await register(), path, by))).toBe('refused')
    }),
    RUNS,
  )
})

it('refuses attestation objects that no authenticator makes', { timeout: LONG_MS }, async () => {
  await fc.assert(
    fc.asyncProperty(nastyCbor, fc.nat(300), fc.boolean(), async (bytes, at, whole) => {
      const credential = await register()
      const { attestationObject } = Object(credential['response']) as { attestationObject: string } // as it is made
      const real = Buffer.from(attestationObject, 'base64url')
      const broken = whole ? bytes : Buffer.concat([real.subarray(0, Math.min(at, real.length)), bytes])
      fc.pre(!broken.equals(real))
      const sent = replaceMember(credential, ['response', 'attestationObject'], broken.toString('base64url'))
      expect(await add(sent)).toBe('refused')
    }),
    RUNS,
  )
})

it('refuses signatures that are broken anywhere', { timeout: LONG_MS }, async () => {
  const visitor = world.browser()
  const needed = PATHS.filter((path) => path.at(-1) !== 'attestationObject')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...needed), nasty, async (path, by) => {
      const credential = passkey.get(await requestAssertionOptions(visitor, null))
      expect(await login(visitor, replaceMember(credential, path, by))).toBe('refused')
    }),
    RUNS,
  )
})

it('rejects malformed client data', { timeout: LONG_MS }, async () => {
  const visitor = world.browser()
  await fc.assert(
    fc.asyncProperty(clientData, async ([name, by]) => {
      fc.pre(!(name === 'crossOrigin' && !by) && name !== 'topOrigin' && name !== 'tokenBinding')
      const credential = passkey.get(await requestAssertionOptions(visitor, null))
      const data: unknown = JSON.parse(Buffer.from(credential.response.clientDataJSON, 'base64url').toString())
      const broken = Buffer.from(JSON.stringify({ ...Object(data), [name]: by })).toString('base64url')
      expect(await login(visitor, replaceMember(credential, ['response', 'clientDataJSON'], broken))).toBe('refused')
      const json = Buffer.from(JSON.stringify(by) ?? 'undefined').toString('base64url')
      const other = passkey.get(await requestAssertionOptions(visitor, null))
      expect(await login(visitor, replaceMember(other, ['response', 'clientDataJSON'], json))).toBe('refused')
    }),
    RUNS,
  )
})

it('still takes what is right', async () => {
  expect(await add(await register())).toBeNull()
  const visitor = world.browser()
  expect(await login(visitor, passkey.get(await requestAssertionOptions(visitor, null)))).toBeNull()
})
