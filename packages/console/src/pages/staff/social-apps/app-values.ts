import type { Operations, ProviderDetails, SocialApp } from '../../../api/gateway-api.ts'

/** What is typed about an app, by the names of the API; settings of their own stand beside the rest of them as JSON. */
export interface AppValues {
  readonly app: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly more: string
}

type Change = Operations['changeSocialApp']['body']
type Field = ProviderDetails['fields'][number]

/** A setting that has a field: an app cannot be without it, and it is one text. */
export const isSettingField = (field: Field): boolean =>
  field.in === 'settings' && field.required && field.name !== 'idp'

/** Sub-providers are known by the name of their app. */
export const hasName = ({ kind }: Pick<ProviderDetails, 'kind'>): boolean => kind === 'oidc' || kind === 'saml'

/** What a form begins with. @param app `null`: a new one. */
export function initialValues(details: ProviderDetails, app: SocialApp | null): AppValues {
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
    settings: Object.fromEntries(names.map((name) => [name, textOf(given[name])])),
    more: Object.keys(rest).length === 0 ? '' : JSON.stringify(rest, null, 2),
  }
}

/** What an organisation says of itself. */
const SAML = { idp: { entity_id: '', metadata_url: 'https://' } }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The object that a text is; `null`: it is none. */
function settingsOf(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null // said beside the field
  }
}

/** What is missing or cannot be read: names of fields. */
export function missing(details: ProviderDetails, values: AppValues): readonly string[] {
  const empty = details.fields.flatMap((field) => {
    const value = field.in === 'app' ? values.app[field.name] : values.settings[field.name]
    const isShown = field.in === 'app' || isSettingField(field)
    return field.required && isShown && (value ?? '').trim() === '' ? [field.name] : []
  })
  return settingsOf(values.more) === null ? [...empty, 'settings'] : empty
}

/** What is stored: a secret that is not typed stays as it is. */
export function bodyOf(details: ProviderDetails, values: AppValues): Change {
  const of = (name: string): string => (values.app[name] ?? '').trim()
  const shown = new Set(details.fields.filter((field) => field.in === 'app').map(({ name }) => name))
  return {
    client_id: of('client_id'),
    ...(hasName(details) && { name: of('name') }),
    ...(shown.has('provider_id') && { provider_id: of('provider_id') }),
    ...(of('secret') !== '' && { secret: of('secret') }),
    ...(of('key') !== '' && { key: of('key') }),
    settings: { ...settingsOf(values.more), ...values.settings },
  }
}
