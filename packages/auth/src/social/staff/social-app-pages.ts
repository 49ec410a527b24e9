import { AuthError, type InputError, InvalidInput } from '../../errors.ts'
import type { BoundForm, BoundField } from '../../kernel/forms/form.ts'
import type { PageAnswer, PageHandler, PageRoute } from '../../kernel/http/route.ts'
import { isRecord } from '../../kernel/settings/kind.ts'
import type { Visit } from '../../kernel/visit.ts'
import type { ShownSocialApp, SocialAppInput } from '../apps/social-apps.ts'
import { addQueryParams } from '../pages/answers.ts'
import type { ProviderEntry } from '../registry/provider-entry.ts'
import { providerPaths } from '../registry/provider-paths.ts'
import type { Social } from '../social-accounts.ts'

const LIST = 'admin_social_apps'

/** Pages where staff manage social login providers. */
export const socialAppPages = (social: Social): readonly PageRoute[] => [
  { name: LIST, path: 'admin/social-apps/', access: 'auth', GET: (request) => list(social, request) },
  {
    name: 'admin_add_social_app',
    path: 'admin/social-apps/add/',
    access: 'auth',
    GET: withProvider(social, async (request, entry) =>
      editPage(social, request, { entry, app: null }, appForm(entry, newApp(entry), null)),
    ),
    POST: withProvider(social, (request, entry) => create(social, request, entry)),
  },
  {
    name: 'admin_edit_social_app',
    path: 'admin/social-apps/{id}/',
    access: 'auth',
    GET: withApp(social, async (request, app, entry) =>
      editPage(social, request, { entry, app }, appForm(entry, toAppContext(app), app)),
    ),
    POST: withApp(social, (request, app, entry) => update(social, request, app, entry)),
  },
  {
    name: 'admin_remove_social_app',
    path: 'admin/social-apps/{id}/remove/',
    access: 'auth',
    GET: withApp(social, async (_request, app, entry) => ({
      kind: 'page',
      template: 'admin/social_app_confirm',
      context: { app: toAppSummary(app, entry) },
    })),
    POST: withApp(social, (request, app, entry) => remove(social, request, app, entry)),
  },
]

/** Runs `work` with the provider in the URL; without one, shows a page to choose it. */
const withProvider =
  (social: Social, work: (request: Visit, entry: ProviderEntry) => Promise<PageAnswer>): PageHandler =>
  async (request) => {
    const requested = request.url.searchParams.get('provider') ?? request.form.get('provider')
    const entries = await social.entries()
    const entry = entries.find(({ id }) => id === requested)
    if (entry !== undefined && request.url.searchParams.has('provider')) return work(request, entry)
    if (entry !== undefined)
      return redirect(addQueryParams(social.kernel.url('admin_add_social_app'), { provider: entry.id }))
    const providers = entries
      .map(({ id, name }) => ({ id, name }))
      .toSorted((a, b) => a.name.localeCompare(b.name, request.language))
    return { kind: 'page', template: 'admin/social_app_choose', context: { providers } }
  }

/** Runs `work` with an app from the database. @throws {AuthError} `not_found`, also for an app from the settings */
const withApp =
  (
    social: Social,
    work: (request: Visit, app: ShownSocialApp & { readonly id: number }, entry: ProviderEntry) => Promise<PageAnswer>,
  ): PageHandler =>
  async (request, params) => {
    const app = (await social.apps.shown(request.db)).find(({ id }) => id !== null && String(id) === params['id'])
    const entry = (await social.entries()).find(({ id }) => id === app?.provider)
    if (app === undefined || app.id === null || entry === undefined) throw new AuthError('not_found')
    return work(request, { ...app, id: app.id }, entry)
  }

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** Returns the summary of an app for lists and messages. */
const toAppSummary = ({ id, name, clientId, providerId }: ShownSocialApp, entry: ProviderEntry | undefined) => ({
  id,
  name: name || entry?.name || providerId,
  provider_name: entry?.name ?? '',
  client_id: clientId,
})

async function list(social: Social, request: Visit): Promise<PageAnswer> {
  const entries = new Map((await social.entries()).map((entry) => [entry.id, entry]))
  const apps = (await social.apps.shown(request.db)).map((app) => ({
    ...toAppSummary(app, entries.get(app.provider)),
    provider_name: entries.get(app.provider)?.name ?? app.provider,
    callback_url: request.absolute(app.callbackPath),
    is_fixed: app.source === 'settings',
  }))
  return { kind: 'page', template: 'admin/social_app_list', context: { apps } }
}

async function create(social: Social, request: Visit, entry: ProviderEntry): Promise<PageAnswer> {
  const typed = readTypedApp(request)
  let app: ShownSocialApp
  try {
    app = await social.apps.create(request.db, { ...readAppForm(social, request, typed), provider: entry.id })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(social, request, { entry, app: null }, appForm(entry, typed, null, error.errors))
  }
  return redirectToApp(social, request, app, entry)
}

async function update(
  social: Social,
  request: Visit,
  app: ShownSocialApp & { readonly id: number },
  entry: ProviderEntry,
): Promise<PageAnswer> {
  const typed = readTypedApp(request)
  try {
    return await redirectToApp(
      social,
      request,
      await social.apps.update(request.db, app.id, readAppForm(social, request, typed)),
      entry,
    )
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(social, request, { entry, app }, appForm(entry, typed, app, error.errors))
  }
}

/** Redirects to the app's page, which shows the callback URL to copy. */
async function redirectToApp(
  social: Social,
  request: Visit,
  app: ShownSocialApp,
  entry: ProviderEntry,
): Promise<PageAnswer> {
  await social.account.adapter.addMessage(request, 'success', 'admin/messages/social_app_saved', {
    app: toAppSummary(app, entry),
  })
  return redirect(social.kernel.url('admin_edit_social_app', { id: String(app.id) }))
}

async function remove(
  social: Social,
  request: Visit,
  app: ShownSocialApp & { readonly id: number },
  entry: ProviderEntry,
): Promise<PageAnswer> {
  await social.apps.remove(request.db, app.id)
  await social.account.adapter.addMessage(request, 'info', 'admin/messages/social_app_removed', {
    app: toAppSummary(app, entry),
  })
  return redirect(social.kernel.url(LIST))
}

function editPage(
  social: Social,
  request: Visit,
  { entry, app }: { readonly entry: ProviderEntry; readonly app: ShownSocialApp | null },
  form: BoundForm,
): PageAnswer {
  const paths = app ?? previewPaths(social, entry)
  return {
    kind: 'page',
    template: 'admin/social_app_form',
    context: {
      form,
      app: app === null ? null : toAppSummary(app, entry),
      provider: { id: entry.id, name: entry.name },
      callback_url: paths === null ? null : request.absolute(paths.callbackPath),
    },
    form,
  }
}

/** Returns the paths of a new app, or `null` if they will contain its ID. */
const previewPaths = (social: Social, entry: ProviderEntry) =>
  entry.callbackPath.includes('{')
    ? null
    : providerPaths(social.kernel.settings, entry, { providerId: '', clientId: '' })

/** TypedApp values, without the secrets, which forms don't show again. */
type TypedApp = Readonly<Record<'name' | 'provider_id' | 'client_id' | 'settings', string>>
type Field = Pick<BoundField, 'name' | 'label' | 'type'> & Partial<BoundField>

const INDENT = 2
const MAX_SETTINGS = 20_000

/** Returns the initial values of the form for a new app. */
const newApp = ({ protocol }: ProviderEntry): TypedApp => ({
  name: '',
  provider_id: '',
  client_id: '',
  settings: jsonText(REQUIRED_SETTINGS[protocol] ?? {}),
})

/** Settings that apps of these protocols require. */
const REQUIRED_SETTINGS: Readonly<Partial<Record<ProviderEntry['protocol'], object>>> = {
  oidc: { server_url: 'https://' },
  saml: { idp: { entity_id: '', metadata_url: 'https://' } },
}

/** Returns the values of the form for an existing app. */
const toAppContext = ({ name, providerId, clientId, settings }: ShownSocialApp): TypedApp => ({
  name,
  provider_id: providerId,
  client_id: clientId,
  settings: jsonText(settings),
})

const jsonText = (value: object): string => JSON.stringify(value, null, INDENT)

/** Returns the posted values. */
const readTypedApp = ({ form }: Visit): TypedApp => ({
  name: form.get('name') ?? '',
  provider_id: form.get('provider_id') ?? '',
  client_id: form.get('client_id') ?? '',
  settings: form.get('settings') ?? '',
})

/** Returns the values to store. Blank secrets stay unchanged. @throws {InvalidInput} `invalid` (param `settings`) */
function readAppForm(social: Social, { form }: Visit, typed: TypedApp): Omit<SocialAppInput, 'provider'> {
  const [secret, key] = [form.get('secret')?.trim() ?? '', form.get('key')?.trim() ?? '']
  return {
    name: typed.name,
    providerId: typed.provider_id,
    clientId: typed.client_id,
    settings: parseSettingsJson(social, typed.settings),
    ...(secret !== '' && { secret }),
    ...(key !== '' && { key }),
  }
}

function parseSettingsJson(social: Social, text: string): Readonly<Record<string, unknown>> {
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

/** Returns the form of an app. @param app `null` for a new one. */
function appForm(
  entry: ProviderEntry,
  typed: TypedApp,
  app: ShownSocialApp | null,
  errors: readonly InputError[] = [],
): BoundForm {
  const fields = buildAppFields(entry, typed, app)
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

function buildAppFields(entry: ProviderEntry, typed: TypedApp, app: ShownSocialApp | null): readonly Field[] {
  const { protocol, needsApp } = entry
  const secretFieldProps = (isThere: boolean): Partial<Field> =>
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
          { name: 'secret', label: 'Client secret', type: 'password', ...secretFieldProps(app?.hasSecret ?? false) },
          { name: 'key', label: 'Key', type: 'password', ...secretFieldProps(app?.hasKey ?? false) },
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

const subProviderField = (protocol: 'oidc' | 'saml', typed: TypedApp): Field => ({
  name: 'provider_id',
  label: protocol === 'oidc' ? 'Provider ID in URLs' : 'Provider entity ID',
  type: 'text',
  required: protocol === 'oidc',
  value: typed.provider_id,
  helpText: "Connected accounts depend on this value. Don't change it later.",
})
