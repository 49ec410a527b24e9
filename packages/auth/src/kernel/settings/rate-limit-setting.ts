import { fromJson, isRecord, type Kind, type Reading } from './kind.ts'
import { nearestName } from './setting.ts'

/**
 * What a rate counts by: the client's IP address, the user, or a key that depends on the action, such as the submitted
 * email address.
 */
export type RatePer = 'ip' | 'user' | 'key'

/** A rate of at most `amount` within any `periodMs` milliseconds. */
interface Rate {
  readonly amount: number
  readonly periodMs: number
  readonly per: RatePer
}

/** The rates of each action, all of which must pass; `null` for no limit. */
type RateLimitMap<A extends string> = Readonly<Record<A, readonly Rate[] | null>>

/**
 * The accepted input for one action: text such as `5/m/ip,20/h/ip`, rates, or `false`, `null`, or an empty text for no
 * limit.
 */
type RateText = string | readonly Rate[] | false | null

/** Rates by action, merged with the defaults; `false` turns off all limits. */
type RateLimitInput = Readonly<Record<string, RateText>> | false

/** An action's default rates, and what it can be counted by. */
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
 * Parses comma-separated rates `amount/period[/per]`, such as `10/m/ip,5/300s/key` or `5/hour`.
 * @returns `null` if the text is malformed
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
 * Creates the kind of a rate limit setting.
 * @param defaults All actions with their defaults.
 * @param base The result of `defaultLimits(defaults)`, which applies to actions that aren't given.
 * @param aliases Alternative names of actions.
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

/** Returns the default limits. */
export function defaultLimits<A extends string>(defaults: Readonly<Record<A, RateLimitDefault>>): RateLimitMap<A> {
  const rows = Object.entries<RateLimitDefault>(defaults).map(([action, { rates }]) => [action, parseRates(rates)])
  return Object.fromEntries(rows) as RateLimitMap<A> // the keys are those of `defaults`
}

function disableAllLimits<A extends string>(defaults: Readonly<Record<A, RateLimitDefault>>): RateLimitMap<A> {
  // The keys are those of `defaults`.
  return Object.fromEntries(Object.keys(defaults).map((action) => [action, null])) as RateLimitMap<A>
}

/** The default rate limits of accounts. `key` is the email address, username, or phone number concerned. */
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
  /** The default for verification by link. With codes, it's `CONFIRM_EMAIL_BY_CODE`. */
  confirm_email: { rates: '1/180s/key', per: ['ip', 'key'] },
  verify_phone: { rates: '1/30s/key,3/m/ip', per: ['ip', 'key'] },
  /** Many apps may share an IP address, and each refreshes every few minutes. */
  refresh_token: { rates: '120/m/ip', per: ['ip'] },
  /** Counts views of pages with passkey sign-in, each of which stores a challenge. */
  login_webauthn: { rates: '60/m/ip', per: ['ip'] },
  add_webauthn: { rates: '10/m/user', per: ['ip', 'user'] },
  list_sessions: { rates: '60/m/user', per: ['ip', 'user'] },
  /** Each start of a social login stores a state, and so a session. */
  provider_login: { rates: '60/m/ip', per: ['ip'] },
  /** Provider tokens sent by apps, each of which causes requests to the provider. */
  provider_token: { rates: '30/m/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>

/** How often a code can be sent to an address. */
export const CONFIRM_EMAIL_BY_CODE = '1/10s/key'

/** The default rate limits of the OpenID Connect provider. */
export const IDP_OIDC_RATE_LIMITS = {
  /** Authorization requests of visitors who aren't signed in, each of which stores an interaction. */
  authorize: { rates: '120/m/ip', per: ['ip'] },
  device_user_code: { rates: '5/m/ip', per: ['ip'] },
  /** Device code requests. */
  device_code: { rates: '30/m/ip', per: ['ip'] },
  /** Failed client authentication. */
  client_failed: { rates: '20/m/ip,20/m/key', per: ['ip', 'key'] },
  register_client: { rates: '20/h/ip', per: ['ip'] },
} as const satisfies Readonly<Record<string, RateLimitDefault>>
