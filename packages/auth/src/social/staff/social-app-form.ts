import type { Social } from '../social-accounts.ts'
import { type InputError, InvalidInput } from '../../errors.ts'
import type { BoundField, BoundForm } from '../../kernel/forms/form.ts'
import type { Visit } from '../../kernel/visit.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import type { ShownSocialApp, SocialAppInput } from '../apps/social-apps.ts'

/** What was typed, as the form shows it again: without the secrets. */
type Typed = Readonly<Record<'name' | 'provider_id' | 'client_id' | 'settings', string>>
type Field = Pick<BoundField, 'name' | 'label' | 'type'> & Partial<BoundField>

const INDENT = 2
const MAX_SETTINGS = 20_000

/** What the form of a new app begins with. */
export const newApp = ({ protocol }: ProviderEntry): Typed => ({
  name: '',
  provider_id: '',
  client_id: '',
  settings: jsonText(SETTINGS_OF[protocol] ?? {}),
})

/** What an app of these protocols cannot be without. */
const SETTINGS_OF: Readonly<Partial<Record<ProviderEntry['protocol'], object>>> = {
  oidc: { server_url: 'https://' },
  saml: { idp: { entity_id: '', metadata_url: 'https://' } },
}

/** An app that is there. */
export const shownApp = ({ name, providerId, clientId, settings }: ShownSocialApp): Typed => ({
  name,
  provider_id: providerId,
  client_id: clientId,
  settings: jsonText(settings),
})

const jsonText = (value: object): string => JSON.stringify(value, null, INDENT)

/** What was posted. */
export const typedApp = ({ form }: Visit): Typed => ({
  name: form.get('name') ?? '',
  provider_id: form.get('provider_id') ?? '',
  client_id: form.get('client_id') ?? '',
  settings: form.get('settings') ?? '',
})

/** What is to be stored: secrets that are not typed stay as they are. @throws {InvalidInput} `invalid` of `settings` */
export function givenApp(social: Social, { form }: Visit, typed: Typed): Omit<SocialAppInput, 'provider'> {
  const [secret, key] = [form.get('secret')?.trim() ?? '', form.get('key')?.trim() ?? '']
  return {
    name: typed.name,
    providerId: typed.provider_id,
    clientId: typed.client_id,
    settings: settingsOf(social, typed.settings),
    ...(secret !== '' && { secret }),
    ...(key !== '' && { key }),
  }
}

function settingsOf(social: Social, text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  const wrong = (code: string, values = {}): InvalidInput =>
    new InvalidInput([social.account.adapter.validationError(code, { param: 'settings', values })])
  if (text.length > MAX_SETTINGS) throw wrong('max_length', { max: MAX_SETTINGS })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong('invalid')
    throw error
  }
  if (!isRecord(value)) throw wrong('invalid')
  return value
}

/** The form of an app. @param app `null`: a new one. */
export function appForm(
  entry: ProviderEntry,
  typed: Typed,
  app: ShownSocialApp | null,
  errors: readonly InputError[] = [],
): BoundForm {
  const fields = fieldsOf(entry, typed, app)
  const names = new Set(fields.map(({ name }) => name))
  return {
    fields: fields.map((field) => ({
      required: false,
      value: '',
      ...field,
      id: `id_${field.name}`,
      errors: errors.filter(({ param }) => param === field.name),
    })),
    errors: errors.filter(({ param }) => param === undefined || !names.has(param)),
  }
}

function fieldsOf(entry: ProviderEntry, typed: Typed, app: ShownSocialApp | null): readonly Field[] {
  const { protocol, needsApp } = entry
  const secretOf = (isThere: boolean): Partial<Field> =>
    isThere ? { helpText: 'Leave blank to keep the current value.' } : {}
  const isSaml = protocol === 'saml'
  return [
    {
      name: 'client_id',
      label: isSaml ? 'Organization ID in URLs' : 'Client ID',
      type: 'text',
      required: needsApp,
      autofocus: app === null,
      value: typed.client_id,
      ...(isSaml && { helpText: 'Letters, numbers, and hyphens.' }),
    },
    ...(protocol === 'oidc' || isSaml ? [subProviderField(protocol, typed)] : []),
    {
      name: 'name',
      label: 'Display name',
      type: 'text',
      value: typed.name,
    },
    ...(isSaml
      ? []
      : ([
          { name: 'secret', label: 'Client secret', type: 'password', ...secretOf(app?.hasSecret ?? false) },
          { name: 'key', label: 'Key', type: 'password', ...secretOf(app?.hasKey ?? false) },
        ] as const)
    ).map((field) => ({ ...field, autocomplete: 'off' })),
    {
      name: 'settings',
      label: 'Additional settings',
      type: 'textarea',
      value: typed.settings,
      helpText: 'A JSON object. Secrets are shown as asterisks and stay unchanged unless you replace them.',
    },
  ]
}

const subProviderField = (protocol: 'oidc' | 'saml', typed: Typed): Field => ({
  name: 'provider_id',
  label: protocol === 'oidc' ? 'Provider ID in URLs' : 'Provider entity ID',
  type: 'text',
  required: protocol === 'oidc',
  value: typed.provider_id,
  helpText: "Connected accounts depend on this value. Don't change it later.",
})
