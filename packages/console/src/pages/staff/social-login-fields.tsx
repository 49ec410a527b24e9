import type { ReactNode } from 'react'
import { serviceUrl } from '../../api/client.ts'
import type { ProviderDetails, SocialApp, Operations } from '../../api/gateway-api.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/language.ts'
import { CopyButton } from '../../parts/button.tsx'
import { TextArea, TextField } from '../../parts/field.tsx'
import type { FieldErrors } from './staff-page.tsx'
import style from './staff.module.css'
import { socialAppTexts } from './social-login-texts.ts'

interface FieldsProps {
  readonly details: ProviderDetails
  readonly app: SocialApp | null
  readonly values: AppValues
  readonly errors: FieldErrors
  onChange(values: AppValues): void
}

/** The fields of a provider's app, with the callback URL to register. */
export function AppFields(props: FieldsProps): ReactNode {
  const { details, values, onChange } = props
  const path = details.callback_path
    .replace('{provider_id}', encodeURIComponent(values.app['provider_id'] || '…'))
    .replace('{organization_slug}', encodeURIComponent(values.app['client_id'] || '…'))
  const texts = useTexts(socialAppTexts)
  const name = hasDisplayName(details) && (
    <TextField
      label={texts.fields.name}
      value={values.app['name'] ?? ''}
      onChange={(value) => onChange({ ...values, app: { ...values.app, name: value } })}
    />
  )
  return (
    <>
      <div className={style['once']}>
        <h3>{texts.register}</h3>
        <p className={style['soft']}>{texts.registerHint}</p>
        <CallbackAddress path={path.replaceAll('%E2%80%A6', '…')} name={details.name} />
      </div>
      {details.fields.map((field) =>
        field.in === 'app' || isSettingField(field) ? <OneField key={field.name} {...props} field={field} /> : null,
      )}
      {name}
      <MoreSettings {...props} />
    </>
  )
}

function OneField({
  details,
  app,
  values,
  errors,
  onChange,
  field: { name, in: place, required },
}: FieldsProps & { readonly field: ProviderDetails['fields'][number] }): ReactNode {
  const texts = useTexts(socialAppTexts)
  const labels: Readonly<Record<string, string>> = {
    ...texts.fields,
    ...(details.kind === 'saml' && texts.saml),
  }
  const part = place === 'app' ? values.app : values.settings
  const hint = useHint(name, details, app)
  const described = {
    label: labels[name] ?? name,
    error: errors[name],
    required,
    value: part[name] ?? '',
    ...(hint !== undefined && { hint }),
    onChange: (value: string) => onChange({ ...values, [place]: { ...part, [name]: value } }),
  }
  if (name === 'certificate_key') return <TextArea {...described} />
  const isSecret = name === 'secret' || name === 'key'
  return <TextField {...described} mono type={isSecret ? 'password' : 'text'} />
}

function useHint(name: string, { kind }: ProviderDetails, app: SocialApp | null): string | undefined {
  const { hints } = useTexts(socialAppTexts)
  if ((name === 'secret' && app?.has_secret === true) || (name === 'key' && app?.has_key === true)) return hints.keep
  if (kind === 'saml') return name === 'client_id' ? hints.samlName : undefined
  return name === 'provider_id' || name === 'server_url' ? hints[name] : undefined
}

function MoreSettings({ details, values, errors, onChange }: FieldsProps): ReactNode {
  const texts = useTexts(socialAppTexts)
  const known = details.fields.filter((field) => field.in === 'settings' && !isSettingField(field))
  const hint =
    known.length === 0 ? texts.moreHint : `${texts.moreHint} ${texts.knows(known.map(({ name }) => name).join(', '))}`
  return (
    <details className={style['more']} open={details.kind === 'saml' || errors['settings'] !== undefined}>
      <summary>{texts.more}</summary>
      <div>
        <TextArea
          label={texts.more}
          hint={hint}
          error={errors['settings']}
          spellCheck={false}
          value={values.more}
          onChange={(more) => onChange({ ...values, more })}
        />
      </div>
    </details>
  )
}

/** The values of the form by API name. Settings without a field are JSON. */
interface AppValues {
  readonly app: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  readonly more: string
}

type Change = Operations['changeSocialApp']['body']
type Field = ProviderDetails['fields'][number]

/** Reports whether a setting has its own field: it's required and a single text. */
const isSettingField = (field: Field): boolean => field.in === 'settings' && field.required && field.name !== 'idp'

/** Reports whether a provider needs a display name, as sub-providers do. */
const hasDisplayName = ({ kind }: Pick<ProviderDetails, 'kind'>): boolean => kind === 'oidc' || kind === 'saml'

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

/** The callback URL of a provider. @param path From the root of the service. */
export function CallbackAddress({ path, name }: { readonly path: string; readonly name: string }): ReactNode {
  const texts = useTexts(socialAppTexts)
  const { service } = useSession()
  const url = service.public_url === null ? serviceUrl(path.slice(1)) : service.public_url.replace(/\/$/, '') + path
  return (
    <span className={style['address']}>
      <code>{url}</code>
      <CopyButton text={url} describe={texts.copyCallback(name)} />
    </span>
  )
}
