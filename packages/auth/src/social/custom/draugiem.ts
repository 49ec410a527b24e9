import { createHash } from 'node:crypto'
import { isRecord } from '../../kernel/settings/kind.ts'
import { endpointOf } from '../apps/app-options.ts'
import { type Exchange, ProviderError } from '../exchange.ts'
import { personOf } from '../profile/profile-mapping.ts'
import { textAt, valueAt } from '../profile/profile-path.ts'
import { askProvider, goodObjectOf } from '../wire/provider-reply.ts'
import type { CustomRecord } from './record.ts'

/**
 * Draugiem.lv. It wants MD5, and the secret in the address. It has no `state`: that stands in the callback.
 * @see https://www.draugiem.lv/applications/dev/docs/passport/
 */
export function draugiemExchange(record: CustomRecord): Exchange {
  return {
    async begin({ app, redirectUri }, { state }) {
      const url = new URL(endpointOf(app, 'authorize_url', record.authorizeUrl ?? ''))
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
      const url = new URL(endpointOf(app, 'token_url', record.tokenUrl ?? ''))
      for (const [name, value] of Object.entries({ action: 'authorize', app: app.secret, code })) {
        url.searchParams.set(name, value)
      }
      const reply = goodObjectOf(await askProvider(io, new Request(url), 'the token request'), 'the token request')
      const token = textAt(reply, 'apikey')
      const uid = textAt(reply, 'uid')
      const profile = valueAt(reply['users'], uid)
      if (reply['error'] !== undefined || token === '' || uid === '' || !isRecord(profile)) {
        throw new ProviderError('unknown', 'the token request was answered without a person')
      }
      const person = personOf({ ...profile, uid }, record.person)
      return { ...person, extraData: profile, tokens: { token, tokenSecret: '', expiresAtMs: null } }
    },
  }
}
