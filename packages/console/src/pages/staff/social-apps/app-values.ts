import type { Operations, ProviderDetails, SocialApp } from '../../../api/gateway-api.ts'

/** The values of the form by API name. Settings without a field are JSON. */
export interface AppValues {
  readonly app: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly more: string
}

type Change = Operations['changeSocialApp']['body']
type Field = ProviderDetails['fields'][number]

/** Reports whether a setting has its own field: it's required and a single text. */
export const isSettingField = (field: Field): boolean =>
  field.in === 'settings' && field.required && field.name !== 'idp'

/** Reports whether a provider needs a display name, as sub-providers do. */
export const hasDisplayName = ({ kind }: Pick<ProviderDetails, 'kind'>): boolean => kind === 'oidc' || kind === 'saml'

/** Returns the form's initial values. @param app `null` for a new app. */
export function initialApp(details: ProviderDetails, app: SocialApp | null): AppValues {
  const given: Readonly<Record<string, unknown>> = app?.settings ?? (details.kind === 'saml' ? SAML : {})
  const names = details.fields.filter(isSettingField).map(({ name }) => name)
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))
  return {
    app: {
      client_id: app?.client_id ?? '',
      provider_id: app?.provider_id ?? '',
      name: app?.name ?? '',
      secret: '',
      key: '',
    },
    settings: Object.fromEntries(names.map((name) => [name, asText(given[name])])),
    more: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
  }
}

/** Initial settings of a SAML provider. */
const SAML = { idp: { entity_id: '', metadata_url: 'https://' } }

const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Parses a JSON object; `null` if the text isn't one. */
function parseSettings(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null // shown next to the field
  }
}

/** Returns the names of missing or invalid fields. */
export function findInvalidFields(details: ProviderDetails, values: AppValues): readonly string[] {
  const empty = details.fields.flatMap((field) => {
    const value = field.in === 'app' ? values.app[field.name] : values.settings[field.name]
    const isShown = field.in === 'app' || isSettingField(field)
    return field.required && isShown && (value ?? '').trim() === '' ? [field.name] : []
  })
  return parseSettings(values.more) === null ? [...empty, 'settings'] : empty
}

/** Returns the request body. Secrets left empty are unchanged. */
export function toAppBody(details: ProviderDetails, values: AppValues): Change {
  const of = (name: string): string => (values.app[name] ?? '').trim()
  const shown = new Set(details.fields.filter((field) => field.in === 'app').map(({ name }) => name))
  return {
    client_id: of('client_id'),
    ...(hasDisplayName(details) && { name: of('name') }),
    ...(shown.has('provider_id') && { provider_id: of('provider_id') }),
    ...(of('secret') !== '' && { secret: of('secret') }),
    ...(of('key') !== '' && { key: of('key') }),
    settings: { ...parseSettings(values.more), ...values.settings },
  }
}
