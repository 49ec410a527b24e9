import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { SocialApp } from '../apps/social-apps.ts'
import type { Assertion } from './assertion.ts'
import { openidServers } from './servers.ts'

const SREG = 'http://openid.net/extensions/sreg/1.1'
const AX = 'http://openid.net/srv/ax/1.0'

/** Members of ours, and types of attributes that tell them, the better ones first. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  email: ['http://axschema.org/contact/email'],
  name: ['http://axschema.org/namePerson', 'http://openid.net/schema/namePerson'],
  first_name: ['http://axschema.org/namePerson/first', 'http://openid.net/schema/namePerson/first'],
  last_name: ['http://axschema.org/namePerson/last', 'http://openid.net/schema/namePerson/last'],
}

/** An attribute that settings ask a provider for besides. */
interface ExtraAttribute {
  readonly name: string
  readonly type: string
  readonly required: boolean
}

/** Those of the entry of `SERVERS` that is for this identifier. */
function extraAttributes(app: SocialApp, identifier: string): readonly ExtraAttribute[] {
  const server = openidServers(app).find(({ url }) => identifier.startsWith(url))
  return (server?.extraAttributes ?? []).flatMap((one) => {
    const members: readonly unknown[] = Array.isArray(one) ? one : []
    const [name, type, required] = members
    return typeof name === 'string' && typeof type === 'string' ? [{ name, type, required: required === true }] : []
  })
}

/** What is asked about the person. Simple Registration 1.1, section 3; Attribute Exchange 1.0, section 5.1 */
export function attributeRequest(app: SocialApp, identifier: string): Readonly<Record<string, string>> {
  const usual = Object.values(TYPES).flatMap((types) => types.map((type) => ({ type, required: true })))
  const asked = [...usual, ...extraAttributes(app, identifier)].map((one, at) => ({ ...one, alias: `a${at}` }))
  const aliases = (required: boolean): string =>
    asked.flatMap((one) => (one.required === required ? [one.alias] : [])).join(',')
  return {
    'openid.ns.sreg': SREG,
    'openid.sreg.required': 'email,fullname',
    'openid.ns.ax': AX,
    'openid.ax.mode': 'fetch_request',
    ...Object.fromEntries(asked.map(({ alias, type }) => [`openid.ax.type.${alias}`, type])),
    'openid.ax.required': aliases(true),
    ...(aliases(false) === '' ? {} : { 'openid.ax.if_available': aliases(false) }),
  }
}

/** What the provider told about the person, of what it signed; members that it did not tell are absent. */
export function attributesOf(app: SocialApp, { members, endpoint }: Assertion): JsonObject {
  const sreg = aliasOf(members, SREG)
  const ax = aliasOf(members, AX)
  const told = ax === null ? new Map<string, string>() : attributeValues(members, ax)
  const found: Record<string, string> = {}
  for (const { name, type } of extraAttributes(app, endpoint)) found[name] = told.get(type) ?? ''
  for (const [name, types] of Object.entries(TYPES)) {
    found[name] = types.map((type) => told.get(type)).find(Boolean) ?? ''
  }
  if (sreg !== null) {
    found['email'] = members.get(`${sreg}.email`) || (found['email'] ?? '')
    found['name'] = members.get(`${sreg}.fullname`) || (found['name'] ?? '')
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== ''))
}

/** The name under which an extension answers. OpenID Authentication 2.0, section 12 */
const aliasOf = (members: ReadonlyMap<string, string>, namespace: string): string | null =>
  [...members].find(([name, value]) => name.startsWith('ns.') && value === namespace)?.[0].slice(3) ?? null

function attributeValues(members: ReadonlyMap<string, string>, ax: string): ReadonlyMap<string, string> {
  const prefix = `${ax}.type.`
  const types = [...members].filter(([name]) => name.startsWith(prefix))
  return new Map(
    types.map(([name, type]): [string, string] => {
      const value = `${ax}.value.${name.slice(prefix.length)}`
      return [type, members.get(value) ?? members.get(`${value}.1`) ?? '']
    }),
  )
}
