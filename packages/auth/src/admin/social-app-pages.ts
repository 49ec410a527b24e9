import type { Core } from '../core.ts'
import { AuthError, InvalidInput } from '../errors.ts'
import type { BoundForm } from '../kernel/forms/form.ts'
import type { PageAnswer } from '../kernel/http/answer.ts'
import type { PageHandler, PageRoute } from '../kernel/http/route.ts'
import type { Visit } from '../kernel/visit.ts'
import { withParameters } from '../social/pages/url-parameters.ts'
import type { ProviderEntry } from '../social/registry/provider-entry.ts'
import { providerPaths } from '../social/registry/provider-paths.ts'
import type { ShownSocialApp } from '../social/apps/social-apps.ts'
import { appForm, givenApp, newApp, shownApp, typedApp } from './social-app-form.ts'
import { staffPage } from './staff-page.ts'

const LIST = 'admin_social_apps'

/** Where staff manage our apps at providers. */
export const socialAppPages = (core: Core): readonly PageRoute[] => [
  { name: LIST, path: 'admin/social-apps/', access: 'auth', GET: staffPage(core, (request) => list(core, request)) },
  {
    name: 'admin_add_social_app',
    path: 'admin/social-apps/add/',
    access: 'auth',
    GET: withProvider(core, async (request, entry) =>
      editPage(core, request, { entry, app: null }, appForm(entry, newApp(entry), null)),
    ),
    POST: withProvider(core, (request, entry) => create(core, request, entry)),
  },
  {
    name: 'admin_edit_social_app',
    path: 'admin/social-apps/{id}/',
    access: 'auth',
    GET: withApp(core, async (request, app, entry) =>
      editPage(core, request, { entry, app }, appForm(entry, shownApp(app), app)),
    ),
    POST: withApp(core, (request, app, entry) => update(core, request, app, entry)),
  },
  {
    name: 'admin_remove_social_app',
    path: 'admin/social-apps/{id}/remove/',
    access: 'auth',
    GET: withApp(core, async (_request, app, entry) => ({
      kind: 'page',
      template: 'admin/social_app_confirm',
      context: { app: named(app, entry) },
    })),
    POST: withApp(core, (request, app, entry) => remove(core, request, app, entry)),
  },
]

/** The provider that the address names; without one, a page to choose it. */
const withProvider = (core: Core, work: (request: Visit, entry: ProviderEntry) => Promise<PageAnswer>): PageHandler =>
  staffPage(core, async (request) => {
    const asked = request.url.searchParams.get('provider') ?? request.form.get('provider')
    const entries = await core.social.entries()
    const entry = entries.find(({ id }) => id === asked)
    if (entry !== undefined && request.url.searchParams.has('provider')) return work(request, entry)
    if (entry !== undefined) return redirect(withParameters(core.url('admin_add_social_app'), { provider: entry.id }))
    const providers = entries
      .map(({ id, name }) => ({ id, name }))
      .toSorted((a, b) => a.name.localeCompare(b.name, request.language))
    return { kind: 'page', template: 'admin/social_app_choose', context: { providers } }
  })

/** An app of a row. @throws {AuthError} `not_found`, also for one of the settings */
const withApp = (
  core: Core,
  work: (request: Visit, app: ShownSocialApp & { readonly id: number }, entry: ProviderEntry) => Promise<PageAnswer>,
): PageHandler =>
  staffPage(core, async (request, params) => {
    const app = (await core.social.apps.shown(request.db)).find(({ id }) => id !== null && String(id) === params['id'])
    const entry = (await core.social.entries()).find(({ id }) => id === app?.provider)
    if (app === undefined || app.id === null || entry === undefined) throw new AuthError('not_found')
    return work(request, { ...app, id: app.id }, entry)
  })

const redirect = (to: string): PageAnswer => ({ kind: 'redirect', to })

/** What an app is called where there are others. */
const named = ({ id, name, clientId, providerId }: ShownSocialApp, entry: ProviderEntry | undefined) => ({
  id,
  name: name || entry?.name || providerId,
  provider_name: entry?.name ?? '',
  client_id: clientId,
})

async function list(core: Core, request: Visit): Promise<PageAnswer> {
  const entries = new Map((await core.social.entries()).map((entry) => [entry.id, entry]))
  const apps = (await core.social.apps.shown(request.db)).map((app) => ({
    ...named(app, entries.get(app.provider)),
    provider_name: entries.get(app.provider)?.name ?? app.provider,
    callback_url: request.absolute(app.callbackPath),
    is_fixed: app.source === 'settings',
  }))
  return { kind: 'page', template: 'admin/social_app_list', context: { apps } }
}

async function create(core: Core, request: Visit, entry: ProviderEntry): Promise<PageAnswer> {
  const typed = typedApp(request)
  let app: ShownSocialApp
  try {
    app = await core.social.apps.create(request.db, { ...givenApp(core, request, typed), provider: entry.id })
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(core, request, { entry, app: null }, appForm(entry, typed, null, error.errors))
  }
  return saved(core, request, app, entry)
}

async function update(
  core: Core,
  request: Visit,
  app: ShownSocialApp & { readonly id: number },
  entry: ProviderEntry,
): Promise<PageAnswer> {
  const typed = typedApp(request)
  try {
    return await saved(
      core,
      request,
      await core.social.apps.update(request.db, app.id, givenApp(core, request, typed)),
      entry,
    )
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return editPage(core, request, { entry, app }, appForm(entry, typed, app, error.errors))
  }
}

/** Back to the app, whose callback address is there to copy. */
async function saved(core: Core, request: Visit, app: ShownSocialApp, entry: ProviderEntry): Promise<PageAnswer> {
  await core.adapter.addMessage(request, 'success', 'admin/messages/social_app_saved', { app: named(app, entry) })
  return redirect(core.url('admin_edit_social_app', { id: String(app.id) }))
}

async function remove(
  core: Core,
  request: Visit,
  app: ShownSocialApp & { readonly id: number },
  entry: ProviderEntry,
): Promise<PageAnswer> {
  await core.social.apps.remove(request.db, app.id)
  await core.adapter.addMessage(request, 'info', 'admin/messages/social_app_removed', { app: named(app, entry) })
  return redirect(core.url(LIST))
}

function editPage(
  core: Core,
  request: Visit,
  { entry, app }: { readonly entry: ProviderEntry; readonly app: ShownSocialApp | null },
  form: BoundForm,
): PageAnswer {
  const paths = app ?? newPaths(core, entry)
  return {
    kind: 'page',
    template: 'admin/social_app_form',
    context: {
      form,
      app: app === null ? null : named(app, entry),
      provider: { id: entry.id, name: entry.name },
      callback_url: paths === null ? null : request.absolute(paths.callbackPath),
    },
    form,
  }
}

/** `null`: the name of the app will be part of it. */
const newPaths = (core: Core, entry: ProviderEntry) =>
  entry.callbackPath.includes('{') ? null : providerPaths(core.settings, entry, { providerId: '', clientId: '' })
