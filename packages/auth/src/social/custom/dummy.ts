import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { type Exchange, ProviderError, type ProviderIdentity } from '../exchange.ts'
import { personOf } from '../profile/profile-mapping.ts'
import { textAt } from '../profile/profile-path.ts'
import { parseForeignJson } from '../wire/provider-reply.ts'
import type { CustomRecord } from './record.ts'

const TEXTS = ['email', 'username', 'first_name', 'last_name', 'phone']
const FLAGS = ['email_verified', 'phone_verified']

/**
 * The test provider: a form of ours, at the callback, in which anybody is whoever they want to be. `state` is in the
 * query of that page, and comes back with the fields; `action=cancel` is a refusal.
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
      return identityOf(record, Object.fromEntries(params))
    },
    async verifyToken(_call, { idToken = '' }) {
      const given = parseForeignJson(idToken)
      if (!isRecord(given)) throw new ProviderError('unknown', 'the id token is no JSON object')
      return { ...identityOf(record, given), replay: null }
    },
  }
}

function identityOf(record: CustomRecord, given: JsonObject): ProviderIdentity {
  const id = textAt(given, 'id').trim()
  if (!/^-?\d{1,20}$/.test(id)) throw new ProviderError('unknown', 'the id is no number')
  const texts = TEXTS.map((name) => [name, typeof given[name] === 'string' ? given[name].trim() : ''] as const)
  const flags = FLAGS.map((name) => [name, isSet(given[name])] as const)
  const profile = Object.fromEntries<unknown>([['id', id], ...texts, ...flags])
  const person = personOf(profile, record.person)
  const phone = person.phone === null ? null : { ...person.phone, verified: profile['phone_verified'] === true }
  return { ...person, phone, extraData: profile, tokens: null }
}

const isSet = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && !['', 'false', 'False', '0'].includes(value))
