import { fromJson, isRecord, type Kind, type Reading } from './kind.ts'
import { nearestName } from './setting.ts'

/** The subject of a count: the client IP address, the user, or a key chosen by the action (e.g. the typed address). */
export type RatePer = 'ip' | 'user' | 'key'

/** At most `amount` within any `periodMs` milliseconds. */
interface Rate {
  readonly amount: number
  readonly periodMs: number
  readonly per: RatePer
}

/** Action -> rates that must all pass; `null`: not limited. */
type RateLimitMap<A extends string> = Readonly<Record<A, readonly Rate[] | null>>

/** What may be written for one action: `5/m/ip,20/h/ip`, rates, or nothing at all for "not limited". */
type RateText = string | readonly Rate[] | false | null

/** Action -> rates, over the defaults; `false` switches every limit off. */
type RateLimitInput = Readonly<Record<string, RateText>> | false

/** An action's default, and what it can be counted by. */
interface RateLimitDefault {
  readonly rates: string
  readonly per: readonly RatePer[]
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const RATE = /^(\d{1,9})\/(\d{0,9}(?:\.\d{1,6})?)(s|m|h|d|(?:second|minute|hour|day)s?)(?:\/(ip|user|key))?$/
const LONGEST_MS = 366 * 86_400_000
const PER: readonly unknown[] = ['ip', 'user', 'key']

const isValidRate = ({ amount, periodMs, per }: Readonly<Record<keyof Rate, unknown>>): boolean =>
  typeof amount === 'number' &&
  Number.isSafeInteger(amount) &&
  amount >= 1 &&
  amount <= 1_000_000 &&
  typeof periodMs === 'number' &&
  Number.isSafeInteger(periodMs) &&
  periodMs >= 1 &&
  periodMs <= LONGEST_MS &&
  PER.includes(per)

/**
 * Reads `amount/period[/per]` rates with commas between them: `10/m/ip,5/300s/key`, `5/hour`.
 * @returns `null` for a text of any other form.
 */
export function parseRates(text: string): readonly Rate[] | null {
  const rates = text.split(',').map((part) => parseRate(part.trim()))
  return rates.every((rate) => rate !== null) ? rates : null
}

function parseRate(text: string): Rate | null {
  const found = RATE.exec(text)
  if (!found) return null
  const [, amount = '', count = '', unit = '', per] = found
  if (count === '.') return null
  const periodMs = Math.round(Number(count === '' ? '1' : count) * (UNITS[unit.charAt(0)] ?? 0))
  const rate: Rate = { amount: Number(amount), periodMs, per: per === 'user' || per === 'key' ? per : 'ip' }
  return isValidRate(rate) ? rate : null
}

function readRates(value: unknown): readonly Rate[] | null | undefined {
  if (value === null || value === false || value === '') return null
  if (typeof value === 'string') return parseRates(value) ?? undefined
  if (!Array.isArray(value) || value.length === 0) return undefined
  const rates: Rate[] = []
  for (const entry of value as readonly unknown[]) {
    // Array.isArray leaves `any`
    if (!isRecord(entry)) return undefined
    const { amount, periodMs, per } = entry
    if (!isValidRate({ amount, periodMs, per })) return undefined
    rates.push({
      amount: Number(amount),
      periodMs: Number(periodMs),
      per: per === 'user' || per === 'key' ? per : 'ip',
    })
  }
  return rates
}

/**
 * The kind of a setting of rate limits.
 * @param defaults Every action, with its default.
 * @param base     `defaultLimits(defaults)`: an action that is not given keeps this very list.
 * @param aliases  Other names of actions.
 */
export function rateLimits<A extends string>(
  defaults: Readonly<Record<A, RateLimitDefault>>,
  base: RateLimitMap<A>,
  aliases: Readonly<Record<string, A>> = {},
): Kind<RateLimitMap<A>, RateLimitInput> {
  const type = 'false, or an object of rates by action, such as 5/m/ip'
  const [first = ''] = Object.keys(defaults)
  return {
    type,
    example: { [first]: '5/m/ip' },
    fromText: (text) => (/^\s*(false|0|off|no)\s*$/i.test(text) ? false : fromJson(text)),
    read: (value) => {
      if (value === false) return { value: disableAllLimits(defaults) }
      return isRecord(value) ? readMap(value, defaults, base, aliases) : { problem: `must be ${type}` }
    },
  }
}

function readMap<A extends string>(
  value: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<A, RateLimitDefault>>,
  base: RateLimitMap<A>,
  aliases: Readonly<Record<string, A>>,
): Reading<RateLimitMap<A>> {
  const limits: Record<A, readonly Rate[] | null> = { ...base }
  const given = new Map<A, string>()
  for (const [name, written] of Object.entries(value)) {
    const known = isAction(defaults, name) ? name : Object.hasOwn(aliases, name) ? aliases[name] : undefined
    if (known === undefined) return { problem: `must name known actions: ${unknownAction(name, defaults)}` }
    const rates = readRates(written)
    if (rates === undefined)
      return { problem: `must have rates such as 5/m/ip, or null, for ${name} (units s, m, h, d; per ip, user or key)` }
    const wrong = rates?.find(({ per }) => !defaults[known].per.includes(per))
    if (wrong) return { problem: `cannot count ${name} per ${wrong.per}, only per ${defaults[known].per.join(' or ')}` }
    const other = given.get(known)
    if (other !== undefined && JSON.stringify(limits[known]) !== JSON.stringify(rates))
      return { problem: `must not limit one action in two ways: ${other} and ${name}` }
    given.set(known, name)
    limits[known] = rates
  }
  return { value: limits }
}

const isAction = <A extends string>(defaults: Readonly<Record<A, RateLimitDefault>>, name: string): name is A =>
  Object.hasOwn(defaults, name)

function unknownAction(name: string, defaults: Readonly<Record<string, RateLimitDefault>>): string {
  const nearest = nearestName(name, Object.keys(defaults))
  return `${JSON.stringify(name.slice(0, 60))} isn't an action${nearest === null ? '' : `; did you mean ${nearest}?`}`
}

/** The limits of a site that sets none. */
export function defaultLimits<A extends string>(defaults: Readonly<Record<A, RateLimitDefault>>): RateLimitMap<A> {
  const rows = Object.entries<RateLimitDefault>(defaults).map(([action, { rates }]) => [action, parseRates(rates)])
  return Object.fromEntries(rows) as RateLimitMap<A> // the keys are those of `defaults`
}

function disableAllLimits<A extends string>(defaults: Readonly<Record<A, RateLimitDefault>>): RateLimitMap<A> {
  // The keys are those of `defaults`.
  return Object.fromEntries(Object.keys(defaults).map((action) => [action, null])) as RateLimitMap<A>
}

/** The limited actions of `account` and `mfa`. `key` is the address, user name or phone number concerned. */
export const ACCOUNT_RATE_LIMITS = {
  login: { rates: '30/m/ip', per: ['ip'] },
  login_failed: { rates: '10/m/ip,5/300s/key', per: ['ip', 'key'] },
  signup: { rates: '20/m/ip', per: ['ip'] },
  request_login_code: { rates: '20/m/ip,3/m/key', per: ['ip', 'key'] },
  reset_password: { rates: '20/m/ip,5/m/key', per: ['ip', 'key'] },
  reset_password_from_key: { rates: '20/m/ip', per: ['ip'] },
  change_password: { rates: '5/m/user', per: ['ip', 'user'] },
  manage_email: { rates: '10/m/user', per: ['ip', 'user'] },
  change_phone: { rates: '1/m/user', per: ['ip', 'user'] },
  reauthenticate: { rates: '10/m/user', per: ['ip', 'user'] },
  /** With codes instead of links the default is `CONFIRM_EMAIL_BY_CODE`. */
  confirm_email: { rates: '1/180s/key', per: ['ip', 'key'] },
  verify_phone: { rates: '1/30s/key,3/m/ip', per: ['ip', 'key'] },
  /** Many apps may be behind one address, and each comes every few minutes. */
  refresh_token: { rates: '120/m/ip', per: ['ip'] },
  /** Of whoever looks at a page where a passkey signs in: each look stores a challenge. */
  login_webauthn: { rates: '60/m/ip', per: ['ip'] },
  add_webauthn: { rates: '10/m/user', per: ['ip', 'user'] },
  list_sessions: { rates: '60/m/user', per: ['ip', 'user'] },
  /** Each begin stores a state, and so a session. */
  provider_login: { rates: '60/m/ip', per: ['ip'] },
  /** Tokens of providers that apps bring: each costs calls to the provider. */
  provider_token: { rates: '30/m/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>

/** A code is sent to one address at most this often. */
export const CONFIRM_EMAIL_BY_CODE = '1/10s/key'

/** The limited actions of the OpenID Connect provider. */
export const IDP_OIDC_RATE_LIMITS = {
  /** Of whoever is not signed in: each authorization that is begun stores an interaction. */
  authorize: { rates: '120/m/ip', per: ['ip'] },
  device_user_code: { rates: '5/m/ip', per: ['ip'] },
  /** Devices that ask for a code. */
  device_code: { rates: '30/m/ip', per: ['ip'] },
  /** Wrong secrets of clients. */
  client_failed: { rates: '20/m/ip,20/m/key', per: ['ip', 'key'] },
  register_client: { rates: '20/h/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>
