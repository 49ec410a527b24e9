import type { ScanAct } from '../kit/control.ts'
import type { Answer } from './answer.ts'
import type { FeishuState } from './state.ts'

interface Grant {
  readonly deviceCode: string
  readonly untilMs: number
  stage: 'waiting' | 'scanned' | 'confirmed' | 'refused' | 'expired'
  /** Open id of the person who confirmed. */
  openId: string
  brand: 'feishu' | 'lark'
  /** Whether the next poll returns the brand without credentials. */
  reportsBrandOnly: boolean
}

/** Times in seconds, as in the responses. */
export interface RegistrationTimes {
  readonly intervalSeconds: number
  readonly lifeSeconds: number
}

/** App registration with a code that a person scans. @see RFC 8628 */
export class Registration {
  readonly #state: FeishuState
  readonly #url: string
  readonly #times: RegistrationTimes
  readonly #grants = new Map<string, Grant>()

  /** @param url Address of the launcher page. */
  constructor(state: FeishuState, url: string, times: RegistrationTimes) {
    this.#state = state
    this.#url = url
    this.#times = times
  }

  /** State of the pending setup code, or `null`. */
  get waiting(): 'waiting' | 'scanned' | null {
    const grant = [...this.#grants.values()].at(-1)
    if (!grant || this.#isExpired(grant)) return null
    return grant.stage === 'waiting' || grant.stage === 'scanned' ? grant.stage : null
  }

  /** Handles a registration call. */
  answer(form: URLSearchParams): Answer {
    switch (form.get('action')) {
      case 'init':
        return { status: 200, body: { nonce: this.#state.newId(''), supported_auth_methods: ['client_secret'] } }
      case 'begin':
        return this.#begin(form)
      case 'poll':
        return this.#poll(form.get('device_code') ?? '')
      default:
        return oauthError('invalid_request')
    }
  }

  /** Performs what a person does with the code on a phone. @throws {RangeError} when it isn't possible now */
  scan(act: ScanAct): void {
    const grant = [...this.#grants.values()].at(-1)
    if (!grant || this.waiting === null) throw new RangeError('There is no pending setup code')
    if (act.act === 'scan') grant.stage = 'scanned'
    else if (act.act === 'refuse') grant.stage = 'refused'
    else if (act.act === 'expire') grant.stage = 'expired'
    else if (act.act === 'redirect') Object.assign(grant, { brand: 'lark', reportsBrandOnly: true })
    else if (act.act === 'confirm') {
      grant.stage = 'confirmed'
      grant.openId = toOpenId(act.userId ?? 'ou_ann')
      this.#state.secret ??= this.#state.newId('FeishuMadeUp')
    } else throw new RangeError(`Feishu doesn't support ${act.act}`)
  }

  #begin(form: URLSearchParams): Answer {
    if (form.get('archetype') !== 'PersonalAgent' || form.get('auth_method') !== 'client_secret') {
      return oauthError('invalid_request')
    }
    const deviceCode = this.#state.newId('dc_')
    const userCode = `${deviceCode.slice(-4)}-${String(this.#grants.size + 1).padStart(4, '0')}`.toUpperCase()
    const { lifeSeconds, intervalSeconds } = this.#times
    const untilMs = this.#state.clock.now() + lifeSeconds * 1_000
    this.#grants.set(deviceCode, {
      deviceCode,
      untilMs,
      stage: 'waiting',
      openId: '',
      brand: 'feishu',
      reportsBrandOnly: false,
    })
    const page = `${this.#url}/page/launcher`
    return {
      status: 200,
      body: {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=${userCode}`,
        interval: intervalSeconds,
        expires_in: lifeSeconds,
      },
    }
  }

  #poll(deviceCode: string): Answer {
    const grant = this.#grants.get(deviceCode)
    if (!grant) return oauthError('invalid_grant')
    if (this.#isExpired(grant)) return oauthError('expired_token')
    if (grant.stage === 'refused') return oauthError('access_denied')
    if (grant.reportsBrandOnly) {
      grant.reportsBrandOnly = false
      return { status: 200, body: { user_info: { tenant_brand: grant.brand } } }
    }
    if (grant.stage !== 'confirmed') return oauthError('authorization_pending')
    const { bot, secret } = this.#state
    return {
      status: 200,
      body: {
        client_id: bot.appId,
        client_secret: secret,
        user_info: { open_id: grant.openId, tenant_brand: grant.brand },
      },
    }
  }

  #isExpired({ stage, untilMs }: Grant): boolean {
    return stage === 'expired' || this.#state.clock.now() >= untilMs
  }
}

/** Returns an id of a person with the prefix `ou_`. */
export const toOpenId = (id: string): string => (id.startsWith('ou_') ? id : `ou_${id}`)

/** Returns an error of the registration, in OAuth's format. */
export const oauthError = (error: string): Answer => ({
  status: 400,
  body: { error, error_description: error.replaceAll('_', ' ') },
})
