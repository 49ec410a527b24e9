import type { ReactNode } from 'react'
import { CallbackAddress } from './callback-address.tsx'
import { type AppValues, hasDisplayName, isSettingField } from './app-values.ts'
import { socialAppTexts } from './texts.ts'
import type { FieldErrors } from '../form-errors.ts'
import style from '../staff.module.css'
import type { ProviderDetails, SocialApp } from '../../../api/gateway-api.ts'
import { useTexts } from '../../../language/texts.ts'
import { TextArea, TextField } from '../../../parts/field.tsx'

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
