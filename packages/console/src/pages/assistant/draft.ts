import type { Assistant, AssistantSettings } from '../../api/gateway-api.ts'

/** The kinds of assistant. */
export type Kind = Assistant['kind']

/** What to do with the saved key, which is never shown. */
export type KeyChange =
  | { readonly does: 'stay' }
  | { readonly does: 'replace'; readonly text: string }
  | { readonly does: 'go' }

/** The values of the form. */
export interface Draft {
  readonly kind: Kind
  readonly base_url: string
  readonly model: string
  readonly system_prompt: string
  readonly url: string
  readonly key: KeyChange
}

/** The text fields of the form. */
export const TEXT_FIELDS = ['base_url', 'model', 'system_prompt', 'url'] as const
/** The name of a text field of the form. */
export type TextField = (typeof TEXT_FIELDS)[number]

/** Problems the form finds before the service does. */
export type Problem = 'missing' | 'no_url' | 'has_user' | 'has_query' | 'no_key'
/** The problem of each field that has one. */
export type Problems = Readonly<Partial<Record<TextField | 'api_key', Problem>>>

/** Returns the form's initial values. */
export const createDraft = (assistant: Assistant): Draft => ({
  kind: assistant.kind,
  base_url: assistant.base_url ?? '',
  model: assistant.model ?? '',
  system_prompt: assistant.system_prompt,
  url: assistant.url ?? '',
  key: { does: 'stay' },
})

const FIELDS_BY_KIND: Readonly<Record<Kind, readonly TextField[]>> = {
  echo: [],
  openai: ['base_url', 'model', 'system_prompt'],
  http: ['url'],
  command: [],
}

/** Returns the fields of a kind of assistant. */
export const listFields = (kind: Kind): readonly TextField[] => FIELDS_BY_KIND[kind] ?? []

/** Reports whether a kind of assistant takes a key. */
export const takesKey = (kind: Kind): boolean => kind === 'openai' || kind === 'http'

/** Returns the changed settings for the API. Fields of other kinds are left out. */
export function collectChanges(assistant: Assistant, draft: Draft): AssistantSettings {
  const before = createDraft(assistant)
  const texts = listFields(draft.kind)
    .filter((field) => draft[field].trim() !== before[field].trim() && !assistant.from_environment.includes(field))
    .map((field) => [field, toFieldValue(field, draft[field])] as const)
  return {
    ...(draft.kind !== assistant.kind && draft.kind !== 'command' && { kind: draft.kind }),
    ...Object.fromEntries(texts),
    ...(takesKey(draft.kind) && toKeyChange(draft.key)),
  }
}

const toFieldValue = (field: TextField, text: string): string | null =>
  text.trim() === '' && field !== 'system_prompt' ? null : text.trim()

function toKeyChange(key: KeyChange): Pick<AssistantSettings, 'api_key'> {
  if (key.does === 'stay') return {}
  return { api_key: key.does === 'go' ? null : key.text.trim() }
}

/** Reports whether there are unsaved changes. */
export const isChanged = (assistant: Assistant, draft: Draft): boolean =>
  Object.keys(collectChanges(assistant, draft)).length > 0

/** Returns the problems by field. */
export function findProblems(draft: Draft): Problems {
  const found = listFields(draft.kind).flatMap((field) => {
    const problem = findProblem(field, draft[field].trim())
    return problem === null ? [] : [[field, problem] as const]
  })
  const isBadKey = takesKey(draft.kind) && draft.key.does === 'replace' && !/^[\x21-\x7e]+$/.test(draft.key.text.trim())
  return { ...Object.fromEntries(found), ...(isBadKey && { api_key: 'no_key' as const }) }
}

function findProblem(field: TextField, text: string): Problem | null {
  if (field === 'system_prompt') return null
  if (text === '') return 'missing'
  if (field === 'model') return null
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return 'no_url'
  if (url.username !== '' || url.password !== '') return 'has_user'
  return field === 'base_url' && (url.search !== '' || url.hash !== '') ? 'has_query' : null
}

/** Reports whether a key is saved for the selected kind. */
export const keepsKey = (assistant: Assistant, draft: Draft): boolean =>
  assistant.has_api_key && assistant.kind === draft.kind

/** Reports whether saving drops the key: it is only sent to the host it was entered for. */
export function losesKey(assistant: Assistant, draft: Draft): boolean {
  if (!keepsKey(assistant, draft) || draft.key.does !== 'stay' || assistant.from_environment.includes('api_key'))
    return false
  const parseOrigin = ({ kind, base_url, url }: Draft): string | undefined =>
    URL.parse(kind === 'openai' ? base_url : url)?.origin
  const next = parseOrigin(draft)
  return next !== undefined && next !== parseOrigin(createDraft(assistant))
}
