import type { EmulatorClock } from '../kit/clock.ts'
import type { ScanAct } from '../kit/control.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import { makeToken, type MessageIds } from './message-ids.ts'

/** Status of a login, as the platform reports it. */
export type LoginStatus =
  | 'wait'
  | 'scaned'
  | 'confirmed'
  | 'expired'
  | 'scaned_but_redirect'
  | 'need_verifycode'
  | 'verify_code_blocked'
  | 'binded_redirect'

/** Which of the two addresses received a call. */
export type Host = 'first' | 'second'

/** Result of a confirmed login. */
export interface Granted {
  readonly bot_token: string
  readonly baseurl: string
  readonly ilink_bot_id: string
  readonly ilink_user_id: string
}

interface Login {
  readonly id: string
  readonly expiresAtMs: number
  readonly knownTokens: readonly string[]
  /** Last reported status. */
  current: LoginStatus
  /** Statuses to report, one per poll. */
  readonly upcoming: LoginStatus[]
  redirected: boolean
  redirectReported: boolean
  /** Number shown on the phone, until it was entered. */
  code: string | null
  wrongCodes: number
  /** User who confirmed before the number was entered. */
  waitingUser: string | null
  granted: Granted | null
  readonly held: Set<AbortController>
}

/** Settings and actions of logins. */
export interface LoginRules {
  readonly holdMs: number
  readonly qrLifeMs: number
  /** Returns `host:port` of the second address. */
  redirectHost(): string
  /** Logs in and ends the previous login, or returns `null` when a known token is already this person's. */
  grant(userId: string | null, host: Host, knownTokens: readonly string[]): Granted | null
  /** Returns an earlier login, no longer valid. */
  earlier(): Granted
}

const FINAL: readonly LoginStatus[] = ['confirmed', 'expired', 'verify_code_blocked', 'binded_redirect']
const WRONG_CODES = 3
/** Number of codes to keep. */
const KEPT = 100

/** Logins by QR code. */
export class Logins {
  readonly #clock: EmulatorClock
  readonly #ids: MessageIds
  readonly #rules: LoginRules
  readonly #logins = new Map<string, Login>()

  constructor(clock: EmulatorClock, ids: MessageIds, rules: LoginRules) {
    this.#clock = clock
    this.#ids = ids
    this.#rules = rules
  }

  /** State of the pending setup code, or `null`. */
  get waiting(): 'waiting' | 'scanned' | null {
    const login = [...this.#logins.values()].at(-1)
    if (!login || this.#clock.now() >= login.expiresAtMs) return null
    const statuses = [login.current, ...login.upcoming]
    if (statuses.some((status) => FINAL.includes(status))) return null
    return statuses.includes('scaned') ? 'scanned' : 'waiting'
  }

  /** Creates a code and returns its id. */
  start(knownTokens: readonly string[]): string {
    const id = makeToken('qrcode', this.#ids.next()).slice(0, 32)
    this.#logins.set(id, {
      id,
      expiresAtMs: this.#clock.now() + this.#rules.qrLifeMs,
      knownTokens,
      current: 'wait',
      upcoming: [],
      redirected: false,
      redirectReported: false,
      code: null,
      wrongCodes: 0,
      waitingUser: null,
      granted: null,
      held: new Set(),
    })
    evictOldest(this.#logins, KEPT)
    return id
  }

  /** Resolves to the next status of a code, once there is one. */
  async poll(
    id: string,
    code: string | null,
    host: Host,
    gone: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const login = this.#logins.get(id)
    if (!login) return { status: 'expired' }
    const isRedirected = (): boolean => login.redirected && host === 'first'
    if (code !== null && !isRedirected()) this.#enterCode(login, code)
    this.#expire(login)
    const hasUpdate = isRedirected()
      ? !login.redirectReported
      : login.upcoming.length > 0 || code !== null || FINAL.includes(login.current)
    if (!hasUpdate) await this.#hold(login, gone)
    this.#expire(login)
    if (isRedirected()) {
      login.redirectReported = !gone.aborted
      return { status: 'scaned_but_redirect', redirect_host: this.#rules.redirectHost() }
    }
    if (!gone.aborted) login.current = login.upcoming.shift() ?? login.current
    return { status: login.current, ...(login.current === 'confirmed' && login.granted) }
  }

  /** Performs what a person does with the newest code on a phone. @throws {RangeError} when it isn't possible now */
  performScan(act: ScanAct): void {
    const login = [...this.#logins.values()].at(-1)
    if (!login) throw new RangeError('There is no pending QR code')
    this.#expire(login)
    if ([login.current, ...login.upcoming].some((status) => FINAL.includes(status)))
      throw new RangeError('The QR code is used up or expired')
    this.#apply(login, act)
    for (const held of login.held) held.abort()
  }

  #apply(login: Login, act: ScanAct): void {
    switch (act.act) {
      case 'scan':
        return void login.upcoming.push('scaned')
      case 'confirm':
        return this.#confirm(login, act.userId ?? null)
      case 'expire':
        return void login.upcoming.push('expired')
      case 'ask_code':
        login.code = act.code
        return void login.upcoming.push('need_verifycode')
      case 'redirect':
        login.redirected = true
        return void login.upcoming.push('scaned')
      case 'stale':
        login.granted = this.#rules.earlier()
        return void login.upcoming.splice(0, login.upcoming.length, 'confirmed')
      case 'already_bound':
        return void login.upcoming.push('binded_redirect')
      default:
        throw new RangeError(`Weixin doesn't support ${act.act}`)
    }
  }

  #confirm(login: Login, userId: string | null): void {
    if (login.code !== null) {
      login.waitingUser = userId ?? ''
      return
    }
    // report the scan before the confirmation
    const wasScanned = login.current === 'scaned' || login.upcoming.includes('scaned')
    if (!wasScanned) login.upcoming.push('scaned')
    login.granted = this.#rules.grant(userId, login.redirected ? 'second' : 'first', login.knownTokens)
    login.upcoming.push(login.granted === null ? 'binded_redirect' : 'confirmed')
  }

  #enterCode(login: Login, code: string): void {
    if (login.code === null) return
    if (code === login.code) {
      login.code = null
      login.upcoming.push('scaned')
      if (login.waitingUser !== null) this.#confirm(login, login.waitingUser === '' ? null : login.waitingUser)
      return
    }
    login.wrongCodes += 1
    login.upcoming.push(login.wrongCodes >= WRONG_CODES ? 'verify_code_blocked' : 'need_verifycode')
  }

  #expire(login: Login): void {
    if (this.#clock.now() < login.expiresAtMs || FINAL.includes(login.current)) return
    if (!login.upcoming.some((status) => FINAL.includes(status))) login.upcoming.push('expired')
  }

  async #hold(login: Login, gone: AbortSignal): Promise<void> {
    const held = new AbortController()
    const leave = (): void => held.abort()
    gone.addEventListener('abort', leave)
    login.held.add(held)
    const lifeMs = Math.max(0, login.expiresAtMs - this.#clock.now())
    await this.#clock.sleep(Math.min(this.#rules.holdMs, lifeMs), held.signal)
    login.held.delete(held)
    gone.removeEventListener('abort', leave)
  }
}
