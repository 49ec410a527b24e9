import { isRecord } from './kind.ts'
import { OLD, type OldSetting } from './old-names.ts'

/** Values of old settings that were written, by their row. */
export interface OldValues {
  get<T>(old: OldSetting<T>): T | undefined
}

/** What old settings say in today's terms. */
export interface Translation {
  /** Today's upper-case name. */
  readonly name: string
  /** The old names in use, as they stand in the reference. */
  readonly from: readonly string[]
  readonly value: unknown
  /** The value as one would write it in an environment. */
  readonly shown: string
  /** True when it goes before today's setting instead of having to agree with it. */
  readonly wins?: true
}

/** The settings of today that the old ones in use stand for. @see section 1.3 of the reference, deprecated settings */
export function* translateOld(old: OldValues, byCode: boolean): Generator<Translation> {
  const method = old.get(OLD.authenticationMethod)
  if (method !== undefined)
    yield list(OLD.authenticationMethod.becomes, [OLD.authenticationMethod.name], method.split('_'))
  yield* signupFields(old)
  yield* failedLogins(old)
  const cooldown = old.get(OLD.confirmationCooldown)
  if (cooldown !== undefined && !byCode)
    yield rate('confirm_email', cooldown === 0 ? null : `1/${cooldown}s/key`, [OLD.confirmationCooldown.name])
  const redirect = old.get(OLD.loginRedirectUrlname)
  if (redirect !== undefined) yield { ...plain(OLD.loginRedirectUrlname, redirect), wins: true }
  const days = old.get(OLD.confirmationDays)
  if (days !== undefined) yield plain(OLD.confirmationDays, days)
}

const plain = ({ name, becomes }: OldSetting<string | number>, value: string | number): Translation => ({
  name: becomes,
  from: [name],
  value,
  shown: String(value),
})

const list = (name: string, from: readonly string[], value: readonly string[]): Translation => ({
  name,
  from,
  value,
  shown: value.join(','),
})

function* signupFields(old: OldValues): Generator<Translation> {
  const rows = [OLD.emailRequired, OLD.usernameRequired, OLD.emailTwice, OLD.passwordTwice]
  const used = rows.filter((row) => old.get(row) !== undefined).map(({ name }) => name)
  if (used.length === 0) return
  const star = old.get(OLD.emailRequired) ? '*' : ''
  yield list(OLD.emailRequired.becomes, used, [
    `email${star}`,
    ...(old.get(OLD.emailTwice) ? [`email2${star}`] : []),
    ...((old.get(OLD.usernameRequired) ?? true) ? ['username*'] : []),
    'password1*',
    ...((old.get(OLD.passwordTwice) ?? true) ? ['password2*'] : []),
  ])
}

function* failedLogins(old: OldValues): Generator<Translation> {
  const used = [OLD.attemptsLimit, OLD.attemptsTimeout].filter((row) => old.get(row) !== undefined)
  if (used.length === 0) return
  const limit = old.get(OLD.attemptsLimit) ?? 5
  const timeout = old.get(OLD.attemptsTimeout) ?? 300
  const rates = limit === 0 || timeout === 0 ? null : `10/m/ip,${limit}/${timeout}s/key`
  yield rate(
    'login_failed',
    rates,
    used.map(({ name }) => name),
  )
}

const rate = (action: string, rates: string | null, from: readonly string[]): Translation => ({
  name: OLD.attemptsLimit.becomes,
  from,
  value: { [action]: rates },
  shown: JSON.stringify({ [action]: rates }),
})

/** Several objects of rates as one, or `null` when they say different things of one action. */
export function joinRates(written: unknown, translated: unknown): unknown {
  if (!isRecord(written) || !isRecord(translated)) return written === false ? false : null
  const both = Object.keys(translated).filter((action) => Object.hasOwn(written, action))
  if (both.some((action) => written[action] !== translated[action])) return null
  return { ...translated, ...written }
}
