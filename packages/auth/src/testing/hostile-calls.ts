import fc from 'fast-check'
import type { InputField } from '../kernel/operations/declaration.ts'

/** A resource to call, with its methods and fields. */
export interface Target {
  readonly path: string
  /** Groups resources of the same topic. */
  readonly tag: string
  readonly method: string
  readonly fields: readonly InputField[]
}

/** A hostile or partly valid request. Names in braces are replaced with members of `Known`. */
export interface HostileCall extends Target {
  /** The raw text, or `null` for no body. */
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

const DEEP = 20_000
/** Bodies that no real client sends. */
const MALFORMED = [
  '',
  ' ',
  '{',
  'null',
  '[]',
  '"text"',
  '1e999',
  '{"email":"a@example.org","email":"b@example.org"}',
  '{"__proto__":{"email":"a@example.org","code":"1"}}',
  '\uFEFF{}',
  '{"code":"\u0000"}',
  '{"code":"\\u0000"}',
  '{"code":"\\ud800"}',
  'email=ada%40example.org&password=x',
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`,
  `{"code":"${'x'.repeat(140_000)}"}`,
]

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b@example.org',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    "' or 1=1 --",
    '{{ 7 | times: 7 }}',
    '<script>alert(1)</script>',
    'ada@example.org\r\nBcc: eve@example.org',
    '//evil.test',
    '１２３４５６',
    '000000',
    '+',
    'İ',
    'x'.repeat(5_000),
  ),
)

const anything = fc.oneof(
  text,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, -0, 2 ** 53, 2 ** 53 + 2, 1e308, [], {}, [[[[]]]]),
  fc.array(fc.oneof(text, fc.integer(), fc.constant(null)), { maxLength: 4 }),
  fc.constantFrom<unknown>(
    Array.from({ length: 1_001 }, (_none, index) => index),
    JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Plausible values by member name. */
const MEANT: Readonly<Record<string, readonly unknown[]>> = {
  email: ['{email}', '{EMAIL}', '{other}', '{new}', 'nobody@example.org'],
  username: ['{name}', 'bystander', 'new{number}'],
  phone: ['+31612345678', '+31 6 1234 5678', '+4915112345678', '06'],
  password: ['{password}', '{password} ', 'a wrong phrase', 'another made-up phrase', '12345678'],
  current_password: ['{password}', '', 'a wrong phrase'],
  new_password: ['another made-up phrase', '{password}', '12345678'],
  code: ['{code}', '{totp}', '{recovery}', '000000', 'BCDF-GHJK'],
  key: ['{key}', '{code}', 'MQ:1xUfmq:abc', '1-abc-def'],
  name: ['A key', ''],
  refresh_token: ['{refresh}', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.'],
  provider: ['google', 'dummy'],
  process: ['login', 'connect', 'redirect'],
  account: ['1'],
  trust: [true, false],
  primary: [true, false],
  id: ['{key id}', 1],
  authenticators: [['{key id}'], ['{key id}', '{key id}'], [1, 2, 3]],
  sessions: [['{session id}'], ['{session id}', '{session id}'], [1, 2, 3, 4, 5, 6]],
  token: [{ client_id: 'x', id_token: 'y' }, { client_id: 1 }, { access_token: null }],
}

const credential = fc.record(
  {
    id: fc.oneof(text, fc.constant('AAAA'), fc.constant('{credential id}')),
    rawId: fc.oneof(anything, fc.constant('AAAA'), fc.constant('{credential id}')),
    type: fc.oneof(fc.constant('public-key'), anything),
    response: fc.oneof(
      anything,
      fc.record({
        clientDataJSON: fc.oneof(
          anything,
          ...['webauthn.get', 'webauthn.create'].map((type) =>
            fc.constant(
              Buffer.from(JSON.stringify({ type, challenge: 'AA', origin: 'http://auth.test' })).toString('base64url'),
            ),
          ),
        ),
        authenticatorData: fc.oneof(anything, fc.constant(Buffer.alloc(37, 5).toString('base64url'))),
        attestationObject: fc.oneof(anything, fc.constant('o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YUA')),
        signature: anything,
        userHandle: fc.oneof(anything, fc.constant('MQ')),
      }),
    ),
    clientExtensionResults: fc.oneof(anything, fc.constant({})),
  },
  { requiredKeys: [] },
)

function arbitraryValue(field: InputField): fc.Arbitrary<unknown> {
  const meant = MEANT[field.name]
  const nearly = field.name === 'credential' ? credential : fc.constantFrom(...(meant ?? ['text', true, 1]))
  return fc.oneof({ weight: 9, arbitrary: nearly }, { weight: 1, arbitrary: anything })
}

const STRANGE = ['__proto__', 'constructor', 'hasOwnProperty', 'next', 'user', 'is_staff', 'session_token']

function arbitraryBody(fields: readonly InputField[]): fc.Arbitrary<string | null> {
  const members = Object.fromEntries(fields.map((field) => [field.name, arbitraryValue(field)]))
  const meant = fc.record(members, { noNullPrototype: true })
  const partial = fc.record(members, { requiredKeys: [], noNullPrototype: true })
  const strange = fc.dictionary(fc.constantFrom(...STRANGE), anything, { maxKeys: 2 })
  return fc.oneof(
    { weight: 6, arbitrary: meant.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: fc.tuple(partial, strange).map(([own, more]) => JSON.stringify({ ...own, ...more })) },
    { weight: 1, arbitrary: fc.constantFrom(...MALFORMED) },
    { weight: 1, arbitrary: anything.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

/** Generates valid header values (RFC 9110 section 5.5). */
const headerText = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  }),
  fc.constantFrom('', 'null', '*', 'a'.repeat(43), 'x'.repeat(4_000)),
)
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'accept-language': ['de', 'zh-Hans', 'xx-YY;q=9', '*;q=0', 'de,'.repeat(500)],
  'content-type': [
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
  ],
  'content-length': ['0', '-1', '5', '99999999999', 'x'],
  cookie: ['sessionid=x; csrftoken=y', 'sessionid=; sessionid=x', ';;;=;', 'mfa_trusted=x:y; messages=%00'],
  'x-session-token': ['x', 'a'.repeat(43)],
  authorization: ['Bearer', 'Bearer a.b.c', 'Bearer {access}', 'Basic eDp5', 'bearer eyJhbGciOiJub25lIn0.e30.'],
  'x-csrftoken': ['', 'x'.repeat(32), 'x'.repeat(64)],
  origin: ['null', 'http://auth.test', 'https://evil.test', 'http://sub.auth.test'],
  'sec-fetch-site': ['same-origin', 'same-site', 'cross-site', 'none'],
  'x-requested-with': ['XMLHttpRequest'],
  'x-forwarded-for': ['198.51.100.7', 'not an address'],
  'user-agent': ['', 'x'.repeat(4_000)],
  'x-email-verification-key': ['{key}', '{code}', '\xff'],
  'x-password-reset-key': ['{key}', '{code}', '\xff'],
}
const header = fc
  .constantFrom(...Object.keys(HEADERS))
  .chain((name) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...(HEADERS[name] ?? [''])) },
        { weight: 1, arbitrary: headerText },
      ),
    ),
  )

/**
 * Generates a sequence of calls by one visitor. Most are about the same topic, so that flows make progress.
 * @param targets The resources to call.
 */
export function hostileCalls(targets: readonly Target[], length: number): fc.Arbitrary<readonly HostileCall[]> {
  const tags = [...new Set(targets.map(({ tag }) => tag))]
  return fc.constantFrom(...tags).chain((focus) => {
    const near = arbitraryCall(targets.filter(({ tag }) => tag === focus))
    const call = fc.oneof({ weight: 2, arbitrary: near }, { weight: 1, arbitrary: arbitraryCall(targets) })
    return fc.array(call, { minLength: length, maxLength: length, size: 'max' })
  })
}

const arbitraryCall = (targets: readonly Target[]): fc.Arbitrary<HostileCall> =>
  fc.constantFrom(...targets).chain((target) =>
    fc.record({
      path: fc.constant(target.path),
      tag: fc.constant(target.tag),
      method: fc.constant(target.method),
      fields: fc.constant(target.fields),
      body: arbitraryBody(target.fields),
      headers: fc
        .oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) })
        .map((pairs) => Object.fromEntries(pairs)),
      query: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: queries }),
    }),
  )

const queries = fc.dictionary(fc.constantFrom('next', 'passwordless', 'key', '__proto__', 'a'), text, { maxKeys: 2 })
