import { authParamsOf, endpointOf, textOptionOf } from '../apps/app-options.ts'
import { type Exchange, type ExchangeCall, ProviderError } from '../exchange.ts'
import { personOf } from '../profile/profile-mapping.ts'
import { askProvider, goodObjectOf, type ProviderReply } from '../wire/provider-reply.ts'
import type { OAuth1Record } from './record.ts'

/** `X-Error-Code` when the person refused. */
const REFUSED = '158'

/**
 * Pocket: steps of OAuth 1.0a with JSON bodies and without signatures. The request token is named `code`, and the
 * callback brings nothing back: the token in the session is the whole binding.
 */
export function pocketExchange(record: OAuth1Record): Exchange {
  return {
    async begin(call, start) {
      const address = endpointOf(call.app, 'request_token_url', record.requestTokenUrl)
      const reply = await post(call, address, { redirect_uri: call.redirectUri }, 'the request for a request token')
      const { code } = goodObjectOf(reply, 'the request for a request token')
      if (typeof code !== 'string' || code === '') throw new ProviderError('unknown', 'no request token was given')
      const url = new URL(endpointOf(call.app, 'authorize_url', record.authorizeUrl))
      const params = authParamsOf(call.app, record.authorizeParams ?? {}, start)
      const all = { ...params, request_token: code, redirect_uri: call.redirectUri }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return { url: url.href, kept: { token: code } }
    },
    async finish(call, { kept }) {
      if (typeof kept['token'] !== 'string') throw new ProviderError('unknown', 'no request token is kept')
      const address = endpointOf(call.app, 'token_url', record.accessTokenUrl)
      const reply = await post(call, address, { code: kept['token'] }, 'the token request')
      if (reply.headers.get('x-error-code') === REFUSED) throw new ProviderError('cancelled', 'the person refused')
      const { access_token: secret, ...profile } = goodObjectOf(reply, 'the token request')
      if (typeof secret !== 'string' || secret === '') {
        throw new ProviderError('unknown', 'the token request was answered without a token')
      }
      const tokens = { token: kept['token'], tokenSecret: secret, expiresAtMs: null }
      return { ...personOf(profile, record.person, textOptionOf(call.app, 'uid_field')), extraData: profile, tokens }
    },
  }
}

const post = (
  call: ExchangeCall,
  address: string,
  members: Readonly<Record<string, string>>,
  what: string,
): Promise<ProviderReply> => {
  const headers = { 'content-type': 'application/json; charset=UTF-8', 'x-accept': 'application/json' }
  const body = JSON.stringify({ consumer_key: call.app.clientId, ...members })
  return askProvider(call.io, new Request(address, { method: 'POST', headers, body }), what)
}
