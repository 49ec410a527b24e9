import type { Assistant, AssistantSettings } from '../../api/gateway-api.ts'

/** Who may answer. */
export type Kind = Assistant['kind']

/** What becomes of the key. It is written here, and never shown again. */
export type KeyChange =
  | { readonly does: 'stay' }
  | { readonly does: 'replace'; readonly text: string }
  | { readonly does: 'go' }

/** The form as it is filled in. */
export interface Draft {
  readonly kind: Kind
  readonly base_url: string
  readonly model: string
  readonly system_prompt: string
  readonly url: string
  readonly key: KeyChange
}

/** Fields of the form that are text. */
export const TEXT_FIELDS = ['base_url', 'model', 'system_prompt', 'url'] as const
/** The name of a text field of the form. */
export type TextField = (typeof TEXT_FIELDS)[number]

/** What can be wrong with a field, before the service is asked. */
export type Problem = 'missing' | 'no_url' | 'has_user' | 'has_query' | 'no_key'
/** The problem of each field that has one. */
export type Problems = Readonly<Partial<Record<TextField | 'api_key', Problem>>>

/** The form as it is before anything is changed. */
export const draftOf = (assistant: Assistant): Draft => ({
  kind: assistant.kind,
  base_url: assistant.base_url ?? '',
  model: assistant.model ?? '',
  system_prompt: assistant.system_prompt,
  url: assistant.url ?? '',
  key: { does: 'stay' },
})

const FIELDS_OF: Readonly<Record<Kind, readonly TextField[]>> = {
  echo: [],
  openai: ['base_url', 'model', 'system_prompt'],
  http: ['url'],
  command: [],
}

/** The fields that somebody of this kind has. */
export const fieldsOf = (kind: Kind): readonly TextField[] => FIELDS_OF[kind] ?? []

/** Whether somebody of this kind is sent a key. */
export const hasKey = (kind: Kind): boolean => kind === 'openai' || kind === 'http'

/** What is different from what counts now, as the service is told; fields of other kinds stay out of it. */
export function changesOf(assistant: Assistant, draft: Draft): AssistantSettings {
  const before = draftOf(assistant)
  const texts = fieldsOf(draft.kind)
    .filter((field) => draft[field].trim() !== before[field].trim() && !assistant.from_environment.includes(field))
    .map((field) => [field, valueOf(field, draft[field])] as const)
  return {
    ...(draft.kind !== assistant.kind && draft.kind !== 'command' && { kind: draft.kind }),
    ...Object.fromEntries(texts),
    ...(hasKey(draft.kind) && keyOf(draft.key)),
  }
}

const valueOf = (field: TextField, text: string): string | null =>
  text.trim() === '' && field !== 'system_prompt' ? null : text.trim()

function keyOf(key: KeyChange): Pick<AssistantSettings, 'api_key'> {
  if (key.does === 'stay') return {}
  return { api_key: key.does === 'go' ? null : key.text.trim() }
}

/** Whether there is anything to save. */
export const isChanged = (assistant: Assistant, draft: Draft): boolean =>
  Object.keys(changesOf(assistant, draft)).length > 0

/** What the service would refuse, by field. */
export function problemsOf(draft: Draft): Problems {
  const found = fieldsOf(draft.kind).flatMap((field) => {
    const problem = problemOf(field, draft[field].trim())
    return problem === null ? [] : [[field, problem] as const]
  })
  const isBadKey = hasKey(draft.kind) && draft.key.does === 'replace' && !/^[\x21-\x7e]+$/.test(draft.key.text.trim())
  return { ...Object.fromEntries(found), ...(isBadKey && { api_key: 'no_key' as const }) }
}

function problemOf(field: TextField, text: string): Problem | null {
  if (field === 'system_prompt') return null
  if (text === '') return 'missing'
  if (field === 'model') return null
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'no_url'
  if (url.username !== '' || url.password !== '') return 'has_user'
  return field === 'base_url' && (url.search !== '' || url.hash !== '') ? 'has_query' : null
}

/** Whether there is a key now for whom the form names. */
export const keepsKey = (assistant: Assistant, draft: Draft): boolean =>
  assistant.has_api_key && assistant.kind === draft.kind

/** A key goes only to the host that it was given for: with another host it is forgotten, unless it is given again. */
export function losesKey(assistant: Assistant, draft: Draft): boolean {
  if (!keepsKey(assistant, draft) || draft.key.does !== 'stay' || assistant.from_environment.includes('api_key'))
    return false
  const originOf = ({ kind, base_url, url }: Draft): string | undefined =>
    URL.parse(kind === 'openai' ? base_url : url)?.origin
  const next = originOf(draft)
  return next !== undefined && next !== originOf(draftOf(assistant))
}
