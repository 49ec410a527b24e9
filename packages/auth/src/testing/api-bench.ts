import type { testDatabases } from '@gatepost/sql/testing'
import { Secret, TOTP } from 'otpauth'
import type { ApiClient } from '../kernel/operations/declaration.ts'
import type { AuthenticatorType } from '../mfa/mfa.ts'
import type { AuthOptions } from '../options.ts'
import type { AuthSettingsInput } from '../kernel/settings/settings.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import type { User } from '../kernel/users/user.ts'
import { type ApiAnswered, type ApiVisitor, apiVisitor } from './api-visitor.ts'
import { type AuthWorld, authWorld, ORIGIN } from './auth-world.ts'
import { checkAnswer } from './checked-answer.ts'
import { type PublicKeyOptions, type SoftwareAuthenticator, softwareAuthenticator } from './authenticator.ts'

type OpenDatabase = (typeof testDatabases)[number][1]

const PASSWORD = 'a made-up phrase'
const PERIOD_MS = 30_000

/** A user. Each of their clients has its own IP address. */
export interface Person {
  readonly user: User
  readonly email: string
  readonly credentials: { readonly email: string; readonly password: string }
  visitor(): ApiVisitor
  /** Returns a client signed in by password; the login may still wait for the second factor. */
  login(): Promise<ApiVisitor>
  /** Returns the rows of the second factors, ordered by ID. */
  authenticators(): Promise<
    readonly { readonly id: number; readonly type: AuthenticatorType; readonly used: boolean }[]
  >
}

/** An authenticator app. */
export interface TotpApp {
  /** Returns the current code. */
  code(): string
  /** Returns the next code, after advancing the clock until the current one has expired. */
  nextCode(): string
}

/** A user of the JSON API with their second factors. */
export interface ApiBench {
  readonly world: AuthWorld
  person(options?: { readonly verified?: boolean }): Promise<Person>
  totpApp(secret: string): TotpApp
  /** Adds an authenticator app through the API. */
  addTotp(visitor: ApiVisitor): Promise<TotpApp>
  /** Reads the recovery codes through the API. */
  recoveryCodes(visitor: ApiVisitor): Promise<readonly string[]>
  /** Adds a security key or a passkey through the API. */
  addKey(visitor: ApiVisitor, options?: { readonly passwordless?: boolean; readonly name?: string }): Promise<AddedKey>
  /** Advances the clock until no authentication counts as recent. */
  expireReauthentication(): void
}

/** An added key. */
export interface AddedKey {
  readonly key: SoftwareAuthenticator
  readonly id: number
  readonly answer: ApiAnswered
}

type Options = Omit<Partial<AuthOptions<AuthTables>>, 'database' | 'clock' | 'mail' | 'log' | 'settings'>

/** Creates a world with all types of second factors and login by email address. */
export async function apiBench(
  client: ApiClient,
  open: OpenDatabase,
  { account, mfa, ...settings }: AuthSettingsInput = {},
  options: Options = {},
): Promise<ApiBench> {
  const world = await authWorld(
    {
      ...options,
      settings: {
        ...settings,
        account: { loginMethods: ['email'], ...account },
        mfa:
          mfa?.enabled === false
            ? mfa
            : { enabled: true, supportedTypes: ['recovery_codes', 'totp', 'webauthn'], ...mfa },
        headless: { enabled: true },
      },
    },
    open,
  )
  let people = 0
  let visitors = 0
  const visitor = (): ApiVisitor => {
    visitors++
    const ip = `198.51.${visitors >> 8}.${visitors & 0xff}`
    return apiVisitor(world.auth, ORIGIN, client, { ip }, (answer) => checkAnswer(world.auth, answer))
  }
  const totpApp = createTotpApp(world)
  return {
    world,
    totpApp,
    person: (given = {}) => addPerson(world, visitor, ++people, given),
    async addTotp(owner) {
      const offered = await owner.get('account/authenticators/totp')
      const app = totpApp(String(readPath(offered, 'meta.secret')))
      expectStatus(await owner.post('account/authenticators/totp', { code: app.code() }), 200)
      return app
    },
    async recoveryCodes(owner) {
      const codes = readPath(await owner.get('account/authenticators/recovery-codes'), 'data.unused_codes')
      return Array.isArray(codes) ? codes.map(String) : []
    },
    addKey,
    expireReauthentication: () => world.clock.advance(world.auth.settings.account.reauthenticationTimeout * 1_000),
  }
}

const createTotpApp =
  ({ clock }: AuthWorld) =>
  (secret: string): TotpApp => {
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    const code = (): string => totp.generate({ timestamp: clock.now() })
    return {
      code,
      nextCode() {
        clock.advance(PERIOD_MS)
        return code()
      },
    }
  }

const addKey: ApiBench['addKey'] = async (owner, { passwordless = false, name = 'Key' } = {}) => {
  const path = 'account/authenticators/webauthn'
  const options = await owner.get(passwordless ? `${path}?passwordless` : path)
  expectStatus(options, 200)
  const key = softwareAuthenticator({ origin: ORIGIN })
  const answer = await owner.post(path, { name, credential: key.create(readPublicKeyOptions(options)) })
  expectStatus(answer, 200)
  return { key, id: Number(readPath(answer, 'data.id')), answer }
}

async function addPerson(
  world: AuthWorld,
  visitor: () => ApiVisitor,
  number: number,
  given: { readonly verified?: boolean },
): Promise<Person> {
  const email = `person${number}@example.org`
  const credentials = { email, password: PASSWORD }
  const user = await world.addUser({ username: `Person${number}`, ...credentials, ...given })
  const { auth } = world
  return {
    user,
    email,
    credentials,
    visitor,
    async login() {
      const own = visitor()
      const answer = await own.post('auth/login', credentials)
      if (answer.status !== 200 && readPath(answer, 'meta.is_authenticated') !== false) expectStatus(answer, 200)
      return own
    },
    async authenticators() {
      const rows = await auth.module('mfa').authenticators.ofUser(auth.kernel.database.db, user.id)
      return rows.map(({ id, type, lastUsedAtMs }) => ({ id, type, used: lastUsedAtMs !== null }))
    },
  }
}

function expectStatus({ status, body }: ApiAnswered, expected: number): void {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`)
}

/** Returns the value in a response at a path of names and indexes, e.g. `data.methods.0`. */
export const readPath = ({ body }: ApiAnswered, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => record(value)[name], body)

/** Returns the options for `navigator.credentials` in a response. */
export const readPublicKeyOptions = (answer: ApiAnswered): PublicKeyOptions =>
  record(readPath(answer, 'data.creation_options.publicKey') ?? readPath(answer, 'data.request_options.publicKey'))

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
