import { createHash, createHmac } from 'node:crypto'
import { sameInConstantTime } from '../../kernel/crypto/constant-time.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { authParamsOf, endpointOf, optionOf } from '../apps/app-options.ts'
import { type Exchange, type ExchangeCall, ProviderError } from '../exchange.ts'
import { personOf } from '../profile/profile-mapping.ts'
import { parseForeignJson } from '../wire/provider-reply.ts'
import type { CustomRecord } from './record.ts'

const DEFAULT_VALIDITY_SECONDS = 30
const LARGEST = 16_384

/**
 * The login widget of Telegram, by redirect. It comes back with its answer in the fragment of the address, which our
 * page posts to itself as `tgAuthResult`.
 * @see https://core.telegram.org/widgets/login#checking-authorization
 */
export function telegramExchange(record: CustomRecord): Exchange {
  return {
    async begin(call, start) {
      const returnTo = new URL(call.redirectUri)
      returnTo.searchParams.set('state', start.state)
      const { auth_date_validity: _ours, ...params } = authParamsOf(call.app, {}, start)
      const url = new URL(endpointOf(call.app, 'authorize_url', record.authorizeUrl ?? ''))
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
      if (typeof hash !== 'string' || !sameInConstantTime(hash, expected)) {
        throw new ProviderError('unknown', 'the signature is wrong')
      }
      const expiresAtMs = (Number(signedAt) + validitySeconds(call)) * 1000
      // `NaN` is not later than anything.
      if (!(expiresAtMs >= call.io.clock.now())) throw new ProviderError('unknown', 'the answer is too old')
      const replay = { issuer: 'https://oauth.telegram.org', jti: hash, expiresAtMs: expiresAtMs + 1000 }
      return { ...personOf(profile, record.person), extraData: profile, tokens: null, replay }
    },
  }
}

function validitySeconds({ app }: ExchangeCall): number {
  const params = app.providerSettings['AUTH_PARAMS']
  const value = optionOf(app, 'auth_date_validity') ?? (isRecord(params) ? params['auth_date_validity'] : undefined)
  const seconds = Number(value ?? DEFAULT_VALIDITY_SECONDS)
  return Number.isFinite(seconds) ? seconds : DEFAULT_VALIDITY_SECONDS
}

/** What is signed are lines: a member that is several of them could be read as others. @throws {ProviderError} `unknown` */
function signedLine([name, value]: readonly [name: string, value: unknown]): string {
  const line = `${name}=${String(value)}`
  if (/^\w+$/.test(name) && !line.includes('\n')) return line
  throw new ProviderError('unknown', 'the answer cannot be read')
}

/** `false` stands for a refusal. */
function readResult(encoded: string): JsonObject {
  if (encoded === '' || encoded.length > LARGEST) throw new ProviderError('unknown', 'there is no answer')
  const value = encoded === 'false' ? false : parseForeignJson(Buffer.from(encoded, 'base64').toString('utf8'))
  if (value === false) throw new ProviderError('cancelled', 'the person refused')
  if (isRecord(value)) return value
  throw new ProviderError('unknown', 'the answer cannot be read')
}
