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

/** Stored settings. Unset members are absent. */
export interface StoredAssistant {
  readonly kind?: 'echo' | 'openai' | 'http'
  readonly baseUrl?: string
  readonly model?: string
  readonly systemPrompt?: string
  readonly url?: string
  readonly apiKey?: string
  /** Origin that the key may be sent to. */
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

/** Parses decrypted settings. @throws if the shape is wrong */
export const parseStoredAssistant = (value: unknown): StoredAssistant => storedShape.parse(value)

/** API fields and their settings, without the key. */
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
 * Merges settings; environment variables take precedence. A key is only sent to its own endpoint: the environment's to
 * the environment's endpoint, a stored one to the host that it was saved with.
 * @param env Settings from environment variables. Unset members are absent.
 */
export function mergeAssistant(env: AssistantSettingsInput, stored: StoredAssistant): AssistantSettingsInput {
  const { apiKey, apiKeyOrigin, ...own } = stored
  const { apiKey: keyOfEnvironment, ...given } = env
  const joined = { ...own, ...given }
  if (keyOfEnvironment !== undefined && isEndpointGiven(env, joined)) return { ...joined, apiKey: keyOfEnvironment }
  const isMeant = apiKey !== undefined && apiKeyOrigin !== undefined && apiKeyOrigin === findKeyOrigin(joined)
  return isMeant ? { ...joined, apiKey } : joined
}

/** The setting that holds a kind's endpoint. */
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

/** Returns the fields set by environment variables, which can't be changed. */
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
 * Applies a change to the stored settings. Without a new key, changing the host also removes the old key.
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
  if (url?.endsWith(HIDDEN_QUERY) === true && url !== shown) throw invalid('url', 'must include its full query string')
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
  if (origin === null) throw invalid('api_key', 'needs an endpoint: also pass the kind and the URL')
  return { ...others, apiKey: given, apiKeyOrigin: origin }
}

/** Also checks settings that aren't in effect, because they may be later. */
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
    message: `"${field}" is set by an environment variable. Change it there.`,
    details: { field },
  })

/** Returns the settings for display, without secrets. */
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

/** Returns the kind of validated settings. */
export const resolveKind = ({ kind }: AssistantSettingsInput): AssistantKind =>
  ASSISTANT_KINDS.find((known) => known === kind) ?? 'echo'

function findProgramName(joined: AssistantSettingsInput): string | null {
  if (joined.kind !== 'command') return null
  const settings = resolveAssistant(joined)
  return settings.kind === 'command' ? basename(settings.command.program) : null
}

/** Replaces query strings, which may contain secrets. */
const HIDDEN_QUERY = '?****'
function shownUrl(text: string | undefined): string | null {
  const url = text === undefined ? null : URL.parse(text)
  if (url === null) return null
  return url.search === '' ? url.href : `${url.origin}${url.pathname}${HIDDEN_QUERY}`
}
