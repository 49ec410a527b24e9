import { isRecord } from '../../kernel/settings/kind.ts'
import { ProviderError, type ProviderIdentity } from '../exchange.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { CheckedAssertion } from './checked-assertion.ts'
import { FORMAT_EMAIL, FORMAT_TRANSIENT } from './names.ts'
import type { SamlField, SamlRecord } from './record.ts'

const YES = ['true', '1', 't', 'y', 'yes']

/** Names of attributes of a field: of the app, which then names all fields, or else of the record. */
function namesOf(record: SamlRecord, app: SocialApp, field: SamlField): readonly string[] {
  const mapping = app.settings['attribute_mapping']
  const names: unknown = isRecord(mapping) ? mapping[field] : record.attributes[field]
  return (Array.isArray(names) ? names : [names]).filter((name: unknown): name is string => typeof name === 'string')
}

/** Who somebody is by an assertion. @throws {ProviderError} `unknown` when nothing lasting names them */
export function samlIdentity(record: SamlRecord, app: SocialApp, assertion: CheckedAssertion): ProviderIdentity {
  const { attributes, subject, replay } = assertion
  const told = (field: SamlField): string =>
    namesOf(record, app, field)
      .map((name) => (Object.hasOwn(attributes, name) ? attributes[name]?.[0] : undefined))
      .find((value) => value !== undefined) ?? ''
  const isEmailName = subject.nameIdFormat === FORMAT_EMAIL || app.settings['use_nameid_for_email'] === true
  const email = told('email') || (isEmailName ? subject.nameId : '')
  const lastingName = subject.nameIdFormat === FORMAT_TRANSIENT ? '' : subject.nameId
  const uid = told('uid') || lastingName
  if (uid === '') throw new ProviderError('unknown', 'SAML: neither an attribute nor a lasting name tells who it is')
  const verified = YES.includes(told('email_verified').toLowerCase())
  const phone = told('phone')
  return {
    uid,
    extraData: attributes,
    username: told('username'),
    firstName: told('first_name'),
    lastName: told('last_name'),
    name: told('name'),
    emails: email === '' ? [] : [{ email, verified, primary: true }],
    phone: phone === '' ? null : { phone, verified: false },
    tokens: null,
    replay,
    samlSubject: subject.nameId === '' ? null : subject,
  }
}
