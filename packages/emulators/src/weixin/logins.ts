import type { EmulatorClock } from '../kit/clock.ts'
import type { ScanAct } from '../kit/control.ts'
import { evictOldest } from '../kit/bounded-log.ts'
import { madeUp, type MessageIds } from './message-ids.ts'

export type LoginStatus =
  | 'wait'
  | 'scaned'
  | 'confirmed'
  | 'expired'
  | 'scaned_but_redirect'
  | 'need_verifycode'
  | 'verify_code_blocked'
  | 'binded_redirect'

/** Which of the two addresses a call came to. */
export type Host = 'first' | 'second'

/** What `confirmed` brings. */
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
  /** As it was answered last. */
  current: LoginStatus
  /** To be answered, one per poll. */
  readonly coming: LoginStatus[]
  redirected: boolean
  toldRedirect: boolean
  /** The number that the phone shows, until it has been given. */
  code: string | null
  wrongCodes: number
  /** Confirmed before the number was given. */
  waitingUser: string | null
  granted: Granted | null
  readonly held: Set<AbortController>
}

export interface LoginRules {
  readonly holdMs: number
  readonly qrLifeMs: number
  /** `host:port`. */
  redirectHost(): string
  /** A log-in that ends the one before, or `null` when one of the tokens is already this person's. */
  grant(userId: string | null, host: Host, knownTokens: readonly string[]): Granted | null
  /** An earlier log-in, which is not valid any more. */
  earlier(): Granted
}

const FINAL: readonly LoginStatus[] = ['confirmed', 'expired', 'verify_code_blocked', 'binded_redirect']
const WRONG_CODES = 3
/** How many codes are remembered. */
const KEPT = 100

/** The log-ins by code. */
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

  /** How far the newest code is; null: there is none that waits. */
  get waiting(): 'waiting' | 'scanned' | null {
    const login = [...this.#logins.values()].at(-1)
    if (!login || this.#clock.now() >= login.expiresAtMs) return null
    const statuses = [login.current, ...login.coming]
    if (statuses.some((status) => FINAL.includes(status))) return null
    return statuses.includes('scaned') ? 'scanned' : 'waiting'
  }

  /** @returns the id of a new code */
  start(knownTokens: readonly string[]): string {
    const id = madeUp('qrcode', this.#ids.next()).slice(0, 32)
    this.#logins.set(id, {
      id,
      expiresAtMs: this.#clock.now() + this.#rules.qrLifeMs,
      knownTokens,
      current: 'wait',
      coming: [],
      redirected: false,
      toldRedirect: false,
      code: null,
      wrongCodes: 0,
      waitingUser: null,
      granted: null,
      held: new Set(),
    })
    evictOldest(this.#logins, KEPT)
    return id
  }

  /** The next status of this code; waits for one when there is nothing new to tell. */
  async poll(
    id: string,
    code: string | null,
    host: Host,
    gone: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    const login = this.#logins.get(id)
    if (!login) return { status: 'expired' }
    const isElsewhere = (): boolean => login.redirected && host === 'first'
    if (code !== null && !isElsewhere()) this.#enter(login, code)
    this.#expire(login)
    const hasNews = isElsewhere()
      ? !login.toldRedirect
      : login.coming.length > 0 || code !== null || FINAL.includes(login.current)
    if (!hasNews) await this.#hold(login, gone)
    this.#expire(login)
    if (isElsewhere()) {
      login.toldRedirect = !gone.aborted
      return { status: 'scaned_but_redirect', redirect_host: this.#rules.redirectHost() }
    }
    if (!gone.aborted) login.current = login.coming.shift() ?? login.current
    return { status: login.current, ...(login.current === 'confirmed' && login.granted) }
  }

  /** What the person with the phone does with the newest code. @throws {RangeError} when it cannot be done */
  act(act: ScanAct): void {
    const login = [...this.#logins.values()].at(-1)
    if (!login) throw new RangeError('No code was asked for')
    this.#expire(login)
    if ([login.current, ...login.coming].some((status) => FINAL.includes(status)))
      throw new RangeError('The newest code is used up')
    this.#perform(login, act)
    for (const held of login.held) held.abort()
  }

  #perform(login: Login, act: ScanAct): void {
    switch (act.act) {
      case 'scan':
        return void login.coming.push('scaned')
      case 'confirm':
        return this.#confirm(login, act.userId ?? null)
      case 'expire':
        return void login.coming.push('expired')
      case 'ask_code':
        login.code = act.code
        return void login.coming.push('need_verifycode')
      case 'redirect':
        login.redirected = true
        return void login.coming.push('scaned')
      case 'stale':
        login.granted = this.#rules.earlier()
        return void login.coming.splice(0, login.coming.length, 'confirmed')
      case 'already_bound':
        return void login.coming.push('binded_redirect')
      default:
        throw new RangeError(`This platform has no ${act.act}`)
    }
  }

  #confirm(login: Login, userId: string | null): void {
    if (login.code !== null) {
      login.waitingUser = userId ?? ''
      return
    }
    // whoever asks sees that the code was scanned first
    const wasScanned = login.current === 'scaned' || login.coming.includes('scaned')
    if (!wasScanned) login.coming.push('scaned')
    login.granted = this.#rules.grant(userId, login.redirected ? 'second' : 'first', login.knownTokens)
    login.coming.push(login.granted === null ? 'binded_redirect' : 'confirmed')
  }

  #enter(login: Login, code: string): void {
    if (login.code === null) return
    if (code === login.code) {
      login.code = null
      login.coming.push('scaned')
      if (login.waitingUser !== null) this.#confirm(login, login.waitingUser === '' ? null : login.waitingUser)
      return
    }
    login.wrongCodes += 1
    login.coming.push(login.wrongCodes >= WRONG_CODES ? 'verify_code_blocked' : 'need_verifycode')
  }

  #expire(login: Login): void {
    if (this.#clock.now() < login.expiresAtMs || FINAL.includes(login.current)) return
    if (!login.coming.some((status) => FINAL.includes(status))) login.coming.push('expired')
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
