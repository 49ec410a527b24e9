import { createHash, createHmac } from 'node:crypto'
import { equalsConstantTime } from '../../kernel/crypto/crypto.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { resolveAuthParams, resolveEndpoint, readAppOption } from '../apps/app-options.ts'
import { type Exchange, type ExchangeCall, ProviderError, type ProviderIdentity } from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, expectReplyObject, parseForeignJson } from '../wire/provider-reply.ts'
import type { CustomRecord } from './record.ts'

const EXCHANGES: Readonly<Record<CustomRecord['speaks'], (record: CustomRecord) => Exchange>> = {
  telegram: telegramExchange,
  draugiem: draugiemExchange,
  dummy: dummyExchange,
}

/** Returns the exchange of a provider with its own protocol. */
export const customExchange = (record: CustomRecord): Exchange => EXCHANGES[record.speaks](record)

/**
 * Creates the exchange with Draugiem.lv, which requires MD5 and the secret in the URL. It has no `state` parameter, so
 * the callback URL contains the state.
 * @see https://www.draugiem.lv/applications/dev/docs/passport/
 */
export function draugiemExchange(record: CustomRecord): Exchange {
  return {
    async begin({ app, redirectUri }, { state }) {
      const url = new URL(resolveEndpoint(app, 'authorize_url', record.authorizeUrl ?? ''))
      const returnTo = new URL(redirectUri)
      returnTo.searchParams.set('state', state)
      const hash = createHash('md5').update(`${app.secret}${returnTo.href}`).digest('hex')
      for (const [name, value] of Object.entries({ app: app.clientId, hash, redirect: returnTo.href })) {
        url.searchParams.set(name, value)
      }
      return { url: url.href, kept: {} }
    },
    async finish({ app, io }, { params }) {
      const status = params.get('dr_auth_status')
      const code = params.get('dr_auth_code') ?? ''
      if (status !== null && status !== 'ok') throw new ProviderError('denied', 'the provider refused')
      if (status === null || code === '') throw new ProviderError('unknown', 'there is no code')
      const url = new URL(resolveEndpoint(app, 'token_url', record.tokenUrl ?? ''))
      for (const [name, value] of Object.entries({ action: 'authorize', app: app.secret, code })) {
        url.searchParams.set(name, value)
      }
      const reply = expectReplyObject(await askProvider(io, new Request(url), 'the token request'), 'the token request')
      const token = textAt(reply, 'apikey')
      const uid = textAt(reply, 'uid')
      const profile = valueAt(reply['users'], uid)
      if (reply['error'] !== undefined || token === '' || uid === '' || !isRecord(profile)) {
        throw new ProviderError('unknown', 'the token request was answered without a person')
      }
      const person = mapProfile({ ...profile, uid }, record.person)
      return { ...person, extraData: profile, tokens: { token, tokenSecret: '', expiresAtMs: null } }
    },
  }
}

const TEXTS = ['email', 'username', 'first_name', 'last_name', 'phone']
const FLAGS = ['email_verified', 'phone_verified']

/**
 * Creates the exchange with the test provider: a form at the callback URL where you choose who you are. `state` is in
 * the page's query and comes back with the fields. `action=cancel` declines.
 */
export function dummyExchange(record: CustomRecord): Exchange {
  return {
    async begin({ redirectUri }, { state }) {
      const url = new URL(redirectUri)
      url.searchParams.set('state', state)
      return { url: url.href, kept: {} }
    },
    async finish(_call, { params }) {
      if (params.get('action') === 'cancel') throw new ProviderError('cancelled', 'the person refused')
      return toCustomIdentity(record, Object.fromEntries(params))
    },
    async verifyToken(_call, { idToken = '' }) {
      const given = parseForeignJson(idToken)
      if (!isRecord(given)) throw new ProviderError('unknown', 'the id token is no JSON object')
      return { ...toCustomIdentity(record, given), replay: null }
    },
  }
}

function toCustomIdentity(record: CustomRecord, given: JsonObject): ProviderIdentity {
  const id = textAt(given, 'id').trim()
  if (!/^-?\d{1,20}$/.test(id)) throw new ProviderError('unknown', 'the id is no number')
  const texts = TEXTS.map((name) => [name, typeof given[name] === 'string' ? given[name].trim() : ''] as const)
  const flags = FLAGS.map((name) => [name, isSet(given[name])] as const)
  const profile = Object.fromEntries<unknown>([['id', id], ...texts, ...flags])
  const person = mapProfile(profile, record.person)
  const phone = person.phone === null ? null : { ...person.phone, verified: profile['phone_verified'] === true }
  return { ...person, phone, extraData: profile, tokens: null }
}

const isSet = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && !['', 'false', 'False', '0'].includes(value))

const DEFAULT_VALIDITY_SECONDS = 30
const MAX_RESULT_LENGTH = 16_384

/**
 * Creates the exchange with Telegram's login widget, by redirect. The result comes back in the URL fragment, which our
 * page posts to itself as `tgAuthResult`.
 * @see https://core.telegram.org/widgets/login#checking-authorization
 */
export function telegramExchange(record: CustomRecord): Exchange {
  return {
    async begin(call, start) {
      const returnTo = new URL(call.redirectUri)
      returnTo.searchParams.set('state', start.state)
      const { auth_date_validity: _ours, ...params } = resolveAuthParams(call.app, {}, start)
      const url = new URL(resolveEndpoint(call.app, 'authorize_url', record.authorizeUrl ?? ''))
      const all = {
        ...params,
        origin: `${returnTo.origin}/`,
        bot_id: call.app.clientId,
        request_access: 'write',
        embed: '0',
        return_to: returnTo.href,
      }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return { url: url.href, kept: {} }
    },
    async finish(call, { params }) {
      const { hash, auth_date: signedAt, ...profile } = readResult(params.get('tgAuthResult') ?? '')
      if (call.app.secret === '') throw new ProviderError('unknown', 'the app has no bot token')
      const text = Object.entries({ ...profile, auth_date: signedAt })
        .map(signedLine)
        .toSorted()
      const key = createHash('sha256').update(call.app.secret).digest()
      const expected = createHmac('sha256', key).update(text.join('\n')).digest('hex')
      if (typeof hash !== 'string' || !equalsConstantTime(hash, expected)) {
        throw new ProviderError('unknown', 'the signature is wrong')
      }
      const expiresAtMs = (Number(signedAt) + validitySeconds(call)) * 1000
      // Negated, so that it refuses `NaN`.
      if (!(expiresAtMs >= call.io.clock.now())) throw new ProviderError('unknown', 'the answer is too old')
      const replay = { issuer: 'https://oauth.telegram.org', jti: hash, expiresAtMs: expiresAtMs + 1000 }
      return { ...mapProfile(profile, record.person), extraData: profile, tokens: null, replay }
    },
  }
}

function validitySeconds({ app }: ExchangeCall): number {
  const params = app.providerSettings['AUTH_PARAMS']
  const value =
    readAppOption(app, 'auth_date_validity') ?? (isRecord(params) ? params['auth_date_validity'] : undefined)
  const seconds = Number(value ?? DEFAULT_VALIDITY_SECONDS)
  return Number.isFinite(seconds) ? seconds : DEFAULT_VALIDITY_SECONDS
}

/** Returns a line to sign. Refuses line breaks: one member could pass as several. @throws {ProviderError} `unknown` */
function signedLine([name, value]: readonly [name: string, value: unknown]): string {
  const line = `${name}=${String(value)}`
  if (/^\w+$/.test(name) && !line.includes('\n')) return line
  throw new ProviderError('unknown', 'the answer cannot be read')
}

/** Decodes the result. `false` means that the user declined. */
function readResult(encoded: string): JsonObject {
  if (encoded === '' || encoded.length > MAX_RESULT_LENGTH) throw new ProviderError('unknown', 'there is no answer')
  const value = encoded === 'false' ? false : parseForeignJson(Buffer.from(encoded, 'base64').toString('utf8'))
  if (value === false) throw new ProviderError('cancelled', 'the person refused')
  if (isRecord(value)) return value
  throw new ProviderError('unknown', 'the answer cannot be read')
}
