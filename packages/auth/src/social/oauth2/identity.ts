import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import { readTextOption } from '../apps/app-options.ts'
import type { ExchangeCall, ProviderIdentity, ProviderTokens } from '../exchange.ts'
import { mapProfile } from '../profile/profile-mapping.ts'
import { valueAt } from '../profile/profile-path.ts'
import type { OAuth2Record } from './record.ts'
import type { RecordValues } from './values.ts'

/** Members of token replies that are never part of a profile. */
const TOKEN_MEMBERS: readonly string[] = [
  'access_token',
  'refresh_token',
  'id_token',
  'token_type',
  'expires_in',
  'device_secret',
  'code',
]

/** The profile with what the record adds of token reply, callback and settings, before anything is read from it. */
export function addProfileMembers(
  record: OAuth2Record,
  profile: JsonObject,
  from: { readonly token: unknown; readonly callback: URLSearchParams; readonly values: RecordValues },
): JsonObject {
  const { fromToken = [], fromCallback = [], fromSettings = {}, copies = {} } = record.stored ?? {}
  const added = {
    ...Object.fromEntries(Object.entries(copies).map(([name, path]) => [name, valueAt(profile, path)])),
    ...Object.fromEntries(fromToken.map((name) => [name, valueAt(from.token, name)])),
    ...Object.fromEntries(fromCallback.map((name) => [name, from.callback.get(name) ?? undefined])),
    ...Object.fromEntries(Object.entries(fromSettings).map(([name, setting]) => [name, from.values.setting(setting)])),
  }
  return Object.fromEntries([
    ...Object.entries(profile),
    ...Object.entries(added).filter(([, value]) => value !== undefined),
    ...fixLatin1Texts(record, profile),
  ])
}

/** Returns the identity of a profile. @throws {ProviderError} `unknown` without an id */
export function toOAuth2Identity(
  record: OAuth2Record,
  call: ExchangeCall,
  profile: JsonObject,
  tokens: ProviderTokens | null,
): ProviderIdentity {
  const person = mapProfile(profile, record.person, readTextOption(call.app, 'uid_field'))
  return { ...person, extraData: storedProfile(record, profile), tokens }
}

/** What is stored of it: without tokens. */
function storedProfile(record: OAuth2Record, profile: JsonObject): JsonObject {
  const { only, without = [], root } = record.stored ?? {}
  const kept = root === undefined ? profile : valueAt(profile, root)
  if (!isRecord(kept)) return {}
  const isToken = (name: string): boolean => record.endpoints.profile === undefined && TOKEN_MEMBERS.includes(name)
  return Object.fromEntries(
    Object.entries(kept).filter(
      ([name]) => (only?.includes(name) ?? true) && !without.includes(name) && !isToken(name),
    ),
  )
}

/** Texts whose bytes are UTF-8 and were read as Latin-1; others stay as they are. */
function fixLatin1Texts(record: OAuth2Record, profile: JsonObject): readonly (readonly [string, string])[] {
  return (record.misread ?? []).flatMap((name) => {
    const text = valueAt(profile, name)
    if (typeof text !== 'string' || !/^[\0-\xff]*$/.test(text)) return []
    const read = new TextDecoder().decode(Buffer.from(text, 'latin1'))
    return read.includes('\ufffd') ? [] : [[name, read] as const]
  })
}
