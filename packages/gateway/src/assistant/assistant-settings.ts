import {
  ASSISTANT_KINDS,
  type AssistantChange,
  type AssistantField,
  type AssistantKind,
  type AssistantView,
} from './assistant-desk.ts'
import { GatewayError } from '../server/errors.ts'
import {
  type AssistantSettings,
  AssistantSettingsError,
  type AssistantSettingsInput,
  DEFAULT_SYSTEM_PROMPT,
  resolveAssistantSettings,
  Secret,
} from '@gatepost/channels'
import { basename } from 'node:path'
import { z } from 'zod'

/** What staff have set; what they have not is not there. */
export interface StoredAssistant {
  readonly kind?: 'echo' | 'openai' | 'http'
  readonly baseUrl?: string
  readonly model?: string
  readonly systemPrompt?: string
  readonly url?: string
  readonly apiKey?: string
  /** Where the key may be sent: scheme, host and port. */
  readonly apiKeyOrigin?: string
}

const text = z.string().exactOptional()
const storedShape = z.object({
  kind: z.enum(['echo', 'openai', 'http']).exactOptional(),
  baseUrl: text,
  model: text,
  systemPrompt: text,
  url: text,
  apiKey: text,
  apiKeyOrigin: text,
})

/** What was sealed. @throws when it is something else */
export const parseStoredAssistant = (value: unknown): StoredAssistant => storedShape.parse(value)

/** Fields of the API and what the assistant calls them, besides its key. */
const PLAIN = [
  ['kind', 'kind'],
  ['base_url', 'baseUrl'],
  ['model', 'model'],
  ['system_prompt', 'systemPrompt'],
  ['url', 'url'],
] as const
const FIELD_BY_SETTING: ReadonlyMap<string, AssistantField> = new Map<string, AssistantField>([
  ...PLAIN.map(([field, setting]) => [setting, field] as const),
  ['apiKey', 'api_key'],
  ['command', 'command'],
])

/**
 * What counts: the environment over what is stored. A key goes only where it was meant to go: the environment's to the
 * environment's endpoint, a stored one to the host that it was given for.
 * @param env What the environment says; what it does not say is not there.
 */
export function mergeAssistant(env: AssistantSettingsInput, stored: StoredAssistant): AssistantSettingsInput {
  const { apiKey, apiKeyOrigin, ...own } = stored
  const { apiKey: keyOfEnvironment, ...given } = env
  const joined = { ...own, ...given }
  if (keyOfEnvironment !== undefined && isEndpointGiven(env, joined)) return { ...joined, apiKey: keyOfEnvironment }
  const isMeant = apiKey !== undefined && apiKeyOrigin !== undefined && apiKeyOrigin === findKeyOrigin(joined)
  return isMeant ? { ...joined, apiKey } : joined
}

/** Which setting of a kind says where its key goes. */
const ENDPOINT_BY_KIND: ReadonlyMap<string | undefined, 'baseUrl' | 'url'> = new Map([
  ['openai', 'baseUrl'],
  ['http', 'url'],
] as const)

function isEndpointGiven(env: AssistantSettingsInput, { kind }: AssistantSettingsInput): boolean {
  const endpoint = ENDPOINT_BY_KIND.get(kind)
  return endpoint !== undefined && env[endpoint] !== undefined
}

function findKeyOrigin(joined: AssistantSettingsInput): string | null {
  const endpoint = ENDPOINT_BY_KIND.get(joined.kind)
  return endpoint === undefined ? null : (URL.parse(joined[endpoint] ?? '')?.origin ?? null)
}

/** What the environment sets, and what therefore cannot be changed. */
function fixedFields(env: AssistantSettingsInput, stored: StoredAssistant): readonly AssistantField[] {
  const plain = PLAIN.filter(([, setting]) => env[setting] !== undefined).map(([field]) => field)
  const isKeyFixed = env.apiKey !== undefined && isEndpointGiven(env, mergeAssistant(env, stored))
  return [
    ...plain,
    ...(isKeyFixed ? ['api_key' as const] : []),
    ...(env.command === undefined ? [] : ['command' as const]),
  ]
}

/**
 * What is stored after a change. Without a new key, the old one is forgotten with the host that it was given for.
 * @throws {GatewayError} `set_by_environment`, `assistant_invalid`
 */
export function applyAssistantChange(
  env: AssistantSettingsInput,
  stored: StoredAssistant,
  change: AssistantChange,
): StoredAssistant {
  const values = new Map<string, string>(Object.entries(stored))
  const shown = shownUrl(mergeAssistant(env, stored).url)
  const { url } = change
  if (url?.endsWith(HIDDEN_QUERY) === true && url !== shown) throw invalid('url', 'must be given with its whole query')
  for (const [field, setting] of PLAIN) {
    const given = change[field]
    if (given === undefined || (field === 'url' && given !== null && given === shown)) continue
    if (env[setting] !== undefined) throw setByEnvironment(field)
    if (given === null || (given === '' && field !== 'system_prompt')) values.delete(setting)
    else values.set(setting, given)
  }
  const next = replaceKey(env, parseStoredAssistant(Object.fromEntries(values)), change.api_key)
  checkAssistant(env, next)
  return next
}

function replaceKey(
  env: AssistantSettingsInput,
  { apiKey, apiKeyOrigin, ...others }: StoredAssistant,
  given: string | null | undefined,
): StoredAssistant {
  const origin = findKeyOrigin({ ...others, ...env })
  if (given === undefined) {
    const isElsewhere = origin !== null && origin !== apiKeyOrigin
    return isElsewhere || apiKey === undefined || apiKeyOrigin === undefined
      ? others
      : { ...others, apiKey, apiKeyOrigin }
  }
  if (fixedFields(env, others).includes('api_key')) throw setByEnvironment('api_key')
  if (given === null || given.trim() === '') return others
  if (origin === null) throw invalid('api_key', 'belongs to an endpoint: give it together with its kind and address')
  return { ...others, apiKey: given, apiKeyOrigin: origin }
}

/** What does not count now must work too: it may count tomorrow. */
function checkAssistant(env: AssistantSettingsInput, stored: StoredAssistant): void {
  resolveAssistant(mergeAssistant(env, stored))
  if (stored.baseUrl !== undefined) resolveAssistant({ kind: 'openai', baseUrl: stored.baseUrl, model: 'any' })
  if (stored.url !== undefined) resolveAssistant({ kind: 'http', url: stored.url })
}

/** @throws {GatewayError} `assistant_invalid`, with the field */
export function resolveAssistant(input: AssistantSettingsInput): AssistantSettings {
  try {
    return resolveAssistantSettings(input)
  } catch (error) {
    if (!(error instanceof AssistantSettingsError)) throw error
    throw invalid(FIELD_BY_SETTING.get(error.setting) ?? error.setting, error.problem)
  }
}

const invalid = (field: string, problem: string): GatewayError =>
  new GatewayError('assistant_invalid', { message: `"${field}" ${problem}.`, details: { field } })

const setByEnvironment = (field: AssistantField): GatewayError =>
  new GatewayError('set_by_environment', {
    message: `"${field}" is set by the environment: it is changed there, and not here.`,
    details: { field },
  })

/** What staff see: no secret. */
export function toAssistantView(
  env: AssistantSettingsInput,
  stored: StoredAssistant,
  changedAtMs: number | null,
): AssistantView {
  const joined = mergeAssistant(env, stored)
  const { apiKey } = joined
  return {
    kind: resolveKind(joined),
    baseUrl: joined.baseUrl ?? null,
    model: joined.model ?? null,
    systemPrompt: joined.systemPrompt ?? DEFAULT_SYSTEM_PROMPT,
    url: shownUrl(joined.url),
    program: findProgramName(joined),
    apiKeyHint: apiKey === undefined ? null : String(apiKey instanceof Secret ? apiKey : new Secret(apiKey)),
    fromEnvironment: fixedFields(env, stored),
    changedAtMs,
  }
}

/** Of what has been checked. */
export const resolveKind = ({ kind }: AssistantSettingsInput): AssistantKind =>
  ASSISTANT_KINDS.find((known) => known === kind) ?? 'echo'

function findProgramName(joined: AssistantSettingsInput): string | null {
  if (joined.kind !== 'command') return null
  const settings = resolveAssistant(joined)
  return settings.kind === 'command' ? basename(settings.command.program) : null
}

/** Values of a query may be secrets. */
const HIDDEN_QUERY = '?****'
function shownUrl(text: string | undefined): string | null {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null) return null
  return url.search === '' ? url.href : `${url.origin}${url.pathname}${HIDDEN_QUERY}`
}
