import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { ApiAnswered } from '../testing/api-visitor.ts'
import { type AuthWorld, authWorld } from '../testing/auth-world.ts'
import { countedDatabase } from '../testing/counted-database.ts'
import { type Fuzzed, FUZZED_PASSWORD, fuzzedPeople, type Standing } from '../testing/fuzzed-people.ts'
import { type HostileCall, hostileCalls, type Target } from '../testing/hostile-calls.ts'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import type { ApiResource } from '../kernel/operations/operation.ts'

/** Fixed, so that failures are reproducible. */
const SEED = 5
const RUNS = 60
const ALL = ['recovery_codes', 'totp', 'webauthn'] as const
/** Longer than any request takes, to detect endless loops. */
const MOST_STATEMENTS = 60

const SETTINGS: Readonly<Record<string, AuthSettingsInput>> = {
  everything: {
    account: {
      loginMethods: ['email', 'username', 'phone'],
      signupFields: ['email*', 'username', 'phone', 'password1*', 'password2*'],
      loginByCodeEnabled: true,
      loginByCodeSupportsResend: 3,
      reauthenticationRequired: true,
      rateLimits: false,
    },
    mfa: { enabled: true, supportedTypes: ALL, passkeyLoginEnabled: true, trustEnabled: true },
    socialaccount: { enabled: true },
    usersessions: { enabled: true, trackActivity: true },
    headless: { enabled: true, tokenStrategy: 'jwt', jwtAlgorithm: 'HS256', serveSpecification: true },
  },
  codes: {
    account: {
      loginMethods: ['email', 'phone'],
      signupFields: ['email*', 'phone', 'password1*'],
      emailVerification: 'mandatory',
      emailVerificationByCodeEnabled: true,
      emailVerificationSupportsChange: true,
      emailVerificationSupportsResend: 3,
      phoneVerificationSupportsChange: true,
      phoneVerificationSupportsResend: 3,
      passwordResetByCodeEnabled: true,
      loginByCodeEnabled: true,
      loginByCodeSupportsResend: 3,
      rateLimits: false,
    },
    mfa: { enabled: true, supportedTypes: ALL, passkeyLoginEnabled: true, passkeySignupEnabled: true },
    usersessions: { enabled: true },
    headless: { enabled: true },
  },
  minimal: { headless: { enabled: true } },
  'no pages': {
    account: { rateLimits: false, preventEnumeration: false, changeEmail: true },
    headless: {
      enabled: true,
      only: true,
      frontendUrls: {
        account_confirm_email: 'https://app.example.org/verify/{key}',
        account_reset_password_from_key: 'https://app.example.org/reset/{key}',
      },
    },
  },
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const ALIASES = [
  '/headless/users/me/',
  '/headless/emails/',
  '/headless/authentication/login/',
  '/headless/password/reset/',
]

/** Returns every method of every resource; unsupported methods get the input of the supported ones. */
async function listTargets({ auth }: AuthWorld): Promise<readonly Target[]> {
  const { result } = await auth.visit(new Request('http://auth.test/'), { remoteAddress: null }, async (request) => {
    const listInputFields = ({ operations }: ApiResource) =>
      Object.values(operations).flatMap((operation) => operation.fields(request))
    return (await auth.module('headless').loadResources()).flatMap((resource) => {
      const { path, tag, operations } = resource
      // Existing resources are called most.
      const methods = [...METHODS, 'HEAD', 'OPTIONS', ...[1, 2, 3].flatMap(() => Object.keys(operations))]
      return methods.map((method) => ({ path, tag, method, fields: listInputFields(resource) }))
    })
  })
  const fields = result.find(({ path }) => path === 'account/email')?.fields ?? []
  const aliases = ALIASES.flatMap((path) => METHODS.map((method) => ({ path, tag: 'Contract', method, fields })))
  return [...result, ...aliases, { path: 'auth/nothing', tag: 'Contract', method: 'POST', fields: [] }]
}

/** Known values that hostile calls may contain. */
interface Known {
  readonly own: Fuzzed
  readonly number: number
  readonly told: readonly string[]
}

/** Replaces names with known values. */
function fillPlaceholderNames(text: string, { own, number, told }: Known): string {
  const newest = (pattern: RegExp): string =>
    told.map((one) => pattern.exec(one)?.[1]).findLast((found) => found !== undefined) ?? 'BCDF-GHJK'
  const email = `${own.name}@example.org`
  const values: Readonly<Record<string, () => string>> = {
    email: () => email,
    EMAIL: () => email.toUpperCase(),
    other: () => 'bystander@example.org',
    new: () => `new${number}@example.org`,
    number: () => String(number),
    name: () => own.name,
    password: () => FUZZED_PASSWORD,
    totp: () => own.totp(),
    recovery: () => own.recovery,
    code: () => newest(CODE),
    key: () => newest(KEY),
    refresh: () => newest(/"refresh_token":"([^"]+)"/),
    access: () => newest(/"access_token":"([^"]+)"/),
  }
  const ids = ['key id', 'session id'].reduce(
    (whole, name) => whole.replaceAll(`"{${name}}"`, newest(/"id":(\d+)[,}]/)),
    text,
  )
  return ids.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name]?.() ?? whole)
}

/** As mails and messages have them. */
const CODE = /^(?: {4}|SMS )(\S+)$/m
const KEY = /(?:verify|reset|confirm-email|key)\/([^/\s]+)\/?$/m

const JSON_TYPE = 'application/json; charset=utf-8'
const HTML_TYPE = 'text/html; charset=utf-8'

/** Checks the invariants of every response. */
function expectAnswer(answer: ApiAnswered, call: HostileCall, client: ApiClient): void {
  const { status, headers, body } = answer
  expect(status).toBeLessThan(500)
  expect(headers.get('cache-control')).toContain('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  if (client === 'app') expect(headers.getSetCookie()).toEqual([])
  const type = headers.get('content-type')
  if (call.method === 'HEAD') expect(body).toBeNull()
  else if (status === 405)
    expect([body, type, headers.get('allow')]).toEqual([null, null, expect.stringMatching(/[A-Z]/)])
  else if (call.path === 'auth/provider/redirect' && [302, 401].includes(status))
    expect(String(body)).not.toContain('{')
  else if (type === HTML_TYPE) expect([403, 404]).toContain(status)
  else expect([type, body]).toEqual([JSON_TYPE, expect.objectContaining({ status })])
}

/** Creates a world with a user whom nothing may affect. */
async function createFuzzWorld(settings: AuthSettingsInput) {
  const counted = countedDatabase()
  const sent: string[] = []
  const sendVerificationCodeSms = async (...[, , , code]: [unknown, unknown, string, string]): Promise<void> =>
    void sent.push(`SMS ${code}`)
  const world = await authWorld({ settings, adapters: { account: { sendVerificationCodeSms } } }, counted.open)
  const make = await fuzzedPeople(world)
  const bystanders = [await make('app', 'recent', 'bystander'), await make('browser', 'recent', 'another')]
  return { world, counted, sent, make, bystanders, targets: await listTargets(world) }
}
type Fuzz = Awaited<ReturnType<typeof createFuzzWorld>>

async function run(fuzz: Fuzz, number: number, client: ApiClient, standing: Standing, calls: readonly HostileCall[]) {
  const { world, counted, sent } = fuzz
  world.clock.advance(31_000)
  const own = await fuzz.make(client, standing, `person${number}`)
  const secrets = [...own.secrets.slice(0, 4), ...fuzz.bystanders.flatMap((one) => one.secrets)]
  const answers: string[] = []
  const statuses: number[] = []
  for (const call of calls) {
    const mails = (await world.mails()).filter(({ to }) => to !== 'bystander@example.org')
    const told = [...mails.slice(-4).map(({ text }) => text), ...sent.slice(-2), ...answers.slice(-2)]
    const known: Known = { own, number, told }
    // On the paths of the contract these say which client it is.
    const telling = call.path.startsWith('/') ? ['x-session-token', 'authorization', 'cookie'] : []
    const given = Object.entries(call.headers).filter(([name]) => !telling.includes(name))
    const headers = Object.fromEntries(given.map(([name, value]) => [name, fillPlaceholderNames(value, known)]))
    const query = new URLSearchParams(call.query).toString()
    const hasBody = call.body !== null && call.method !== 'GET' && call.method !== 'HEAD'
    counted.taken()
    const answer = await own.visitor.send(
      call.method,
      query === '' ? call.path : `${call.path}?${query}`,
      hasBody ? fillPlaceholderNames(call.body ?? '', known) : undefined,
      headers,
    )
    expect(counted.taken()).toBeLessThan(MOST_STATEMENTS)
    expectAnswer(answer, call, client)
    answers.push(`${JSON.stringify(answer.body)} ${[...answer.headers].join()}`)
    statuses.push(answer.status)
  }
  const codes = [...(await world.mails()).map(({ text }) => text), ...sent].flatMap(
    (text) => CODE.exec(text)?.[1] ?? [],
  )
  const whole = answers.join('\n')
  for (const secret of [...secrets, ...codes.slice(-10)]) expect(whole).not.toContain(secret)
  for (const { visitor, name } of fuzz.bystanders) {
    const session = await visitor.get('auth/session')
    expect(session.body).toMatchObject({ status: 200, data: { user: { username: name } } })
  }
  return statuses
}

it.each(Object.entries(SETTINGS))(
  'responds to any input without failing, and reveals no secret (%s)',
  async (_name, settings) => {
    const fuzz = await createFuzzWorld(settings)
    const seen = new Set<number>()
    let number = 0
    const session = fc.record({
      client: fc.constantFrom<ApiClient>('app', 'browser'),
      standing: fc.constantFrom<Standing>('anonymous', 'pending', 'recent', 'stale', 'with factors'),
      calls: hostileCalls(fuzz.targets, 12),
    })
    await fc.assert(
      fc.asyncProperty(session, async ({ client, standing, calls }) => {
        for (const status of await run(fuzz, ++number, client, standing, calls)) seen.add(status)
      }),
      { numRuns: RUNS, seed: SEED },
    )
    expect([...seen]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 405, 409, 410, 413]))
    const logged = JSON.stringify(fuzz.world.logged)
    expect(fuzz.world.logged.filter(({ level }) => level === 'error')).toEqual([])
    for (const { secrets } of fuzz.bystanders) for (const secret of secrets) expect(logged).not.toContain(secret)
    await fuzz.world.close()
  },
)
