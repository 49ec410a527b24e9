import type { HostedAuth } from '@gatepost/auth'
import type { ShownSocialApp, SocialAppInput, Provider } from '@gatepost/auth/social'
import { z } from 'zod'
import { gatewayRoute, answers, type GatewayRoute, ok } from '../../server/gateway-route.ts'

/** Dependencies of the social login routes. */
export interface SocialAppParts {
  readonly auth: HostedAuth
}

const text = (max: number, about: string): z.ZodString => z.string().max(max).describe(about)

const fields = {
  provider: text(30, 'Id of the provider, e.g. `google`, `openid_connect`').min(1),
  provider_id: text(200, 'OpenID Connect and SAML: name of this provider in URLs, or its issuer id'),
  name: text(40, 'Name on the sign-in button'),
  client_id: text(191, "Client id from the provider; SAML: the organization's name in URLs"),
  secret: text(10_000, 'Secret from the provider; never returned'),
  key: text(191, 'For the few providers with a third value'),
  settings: z.record(z.string(), z.unknown()).describe('Settings of this app, e.g. `server_url`, `scope`, `hidden`'),
}

const appShape = z
  .strictObject({
    id: z.int().nullable().describe("null: configured in the service's settings, and changed there"),
    provider: z.string(),
    provider_id: z.string(),
    name: z.string(),
    client_id: z.string(),
    has_secret: z.boolean(),
    has_key: z.boolean(),
    settings: z.record(z.string(), z.unknown()).describe('Secret values are shown as `****`'),
    source: z.enum(['database', 'settings']),
    login_path: z.string(),
    callback_path: z
      .string()
      .describe('Callback path. Register it with the provider, prefixed with the address of this service'),
  })
  .meta({ id: 'SocialApp', description: 'A social login provider, without its secrets' })

const changeBody = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Nothing to change.')
const createBody = z.strictObject(fields).partial().extend({ provider: fields.provider })

const toSocialAppView = (app: ShownSocialApp): z.input<typeof appShape> => ({
  id: app.id,
  provider: app.provider,
  provider_id: app.providerId,
  name: app.name,
  client_id: app.clientId,
  has_secret: app.hasSecret,
  has_key: app.hasKey,
  settings: app.settings,
  source: app.source,
  login_path: app.loginPath,
  callback_path: app.callbackPath,
})

/** Converts the body to the auth package's input. */
const toSocialAppInput = ({
  provider,
  provider_id: providerId,
  name,
  client_id: clientId,
  secret,
  key,
  settings,
}: z.output<typeof changeBody>): Partial<SocialAppInput> => ({
  ...(provider !== undefined && { provider }),
  ...(providerId !== undefined && { providerId }),
  ...(name !== undefined && { name }),
  ...(clientId !== undefined && { clientId }),
  ...(secret !== undefined && { secret }),
  ...(key !== undefined && { key }),
  ...(settings !== undefined && { settings }),
})

/** Routes below `/api/admin/social-apps` and `/api/admin/providers`. */
export const socialAppRoutes = ({ auth }: SocialAppParts): readonly GatewayRoute[] => [
  listAppsRoute(auth),
  createAppRoute(auth),
  changeAppRoute(auth),
  removeAppRoute(auth),
  ...providerRoutes({ auth }),
]

/** Parses the id; -1, which matches no row, if it isn't a number. */
const parseAppId = (params: Readonly<Record<string, string>>): number =>
  /^\d{1,9}$/.test(params['app'] ?? '') ? Number(params['app']) : -1

const listAppsRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/admin/social-apps',
    id: 'listSocialApps',
    scope: 'admin',
    summary: 'Configured social login providers, without their secrets',
    answers: answers('All social login providers', z.strictObject({ social_apps: z.array(appShape) })),
    errors: [],
    handle: async () =>
      ok({ social_apps: (await auth.module('social').apps.shown(auth.kernel.database.db)).map(toSocialAppView) }),
  })

const createAppRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'POST',
    path: '/api/admin/social-apps',
    id: 'createSocialApp',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Add a social login provider, with an app registered there',
    body: { schema: createBody },
    answers: answers('The app', appShape),
    errors: ['invalid_input'],
    async handle({ body }) {
      const app = await auth
        .module('social')
        .apps.create(auth.kernel.database.db, { ...toSocialAppInput(body), provider: body.provider })
      return ok(toSocialAppView(app), `${app.provider} ${app.id}`)
    },
  })

const changeAppRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'PATCH',
    path: '/api/admin/social-apps/{app}',
    id: 'changeSocialApp',
    scope: 'admin',
    needsRecentSignIn: true,
    summary: 'Change a social login provider. Omitted members, including the secret, stay as they are',
    body: { schema: changeBody },
    answers: answers('The current state', appShape),
    errors: ['invalid_input', 'not_found'],
    handle: async ({ body, params }) =>
      ok(
        toSocialAppView(
          await auth.module('social').apps.update(auth.kernel.database.db, parseAppId(params), toSocialAppInput(body)),
        ),
      ),
  })

const removeAppRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'DELETE',
    path: '/api/admin/social-apps/{app}',
    id: 'removeSocialApp',
    scope: 'admin',
    summary: "Remove a social login provider. Connected accounts stay but can't sign in through it",
    answers: answers('Removed', z.strictObject({ ok: z.literal(true) })),
    errors: ['not_found'],
    async handle({ params }) {
      await auth.module('social').apps.remove(auth.kernel.database.db, parseAppId(params))
      return ok({ ok: true })
    },
  })

/** Dependencies of the provider routes. */
interface ProviderParts {
  readonly auth: HostedAuth
}

const entryFields = {
  id: z.string(),
  name: z.string(),
  kind: z.enum(['oauth2', 'oauth1', 'oidc', 'openid2', 'saml', 'custom']).describe('Protocol'),
  needs_app: z.boolean().describe('false: sign-in works without a registered app'),
}

const fieldShape = z.strictObject({
  name: z.string().describe('Name in the app or its settings'),
  in: z.enum(['app', 'settings']),
  required: z.boolean(),
})

const entryShape = z.strictObject(entryFields).meta({ id: 'Provider', description: 'An identity provider' })
const detailsShape = z
  .strictObject({
    ...entryFields,
    callback_path: z
      .string()
      .describe(
        "Callback path to register with the provider. `{provider_id}` and `{organization_slug}` are replaced by the app's values",
      ),
    fields: z.array(fieldShape).describe('Fields of an app'),
  })
  .meta({ id: 'ProviderDetails' })

type Details = z.input<typeof detailsShape>
type Field = z.input<typeof fieldShape>

/** Routes below `/api/admin/providers`. */
const providerRoutes = ({ auth }: ProviderParts): readonly GatewayRoute[] => [
  listProvidersRoute(auth),
  getProviderRoute(auth),
]

const listProvidersRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/admin/providers',
    id: 'listProviders',
    scope: 'admin',
    summary: 'Supported identity providers',
    answers: answers('All identity providers', z.strictObject({ providers: z.array(entryShape) })),
    errors: [],
    handle: async () => {
      const entries = await auth.module('social').entries()
      return ok({
        providers: entries.map(({ id, name, protocol, needsApp }) => ({
          id,
          name,
          kind: protocol,
          needs_app: needsApp,
        })),
      })
    },
  })

const getProviderRoute = (auth: HostedAuth): GatewayRoute =>
  gatewayRoute({
    method: 'GET',
    path: '/api/admin/providers/{provider}',
    id: 'getProvider',
    scope: 'admin',
    summary: 'Fields of an app for a provider, and what to register there',
    answers: answers('The provider', detailsShape),
    errors: ['not_found'],
    handle: async ({ params }) =>
      ok(toProviderDetails(await auth.module('social').provider(createPlaceholderApp(params['provider'] ?? '')))),
  })

/** Returns an app with placeholders, for building its callback path. */
const createPlaceholderApp = (provider: string): Provider['app'] => ({
  id: null,
  provider,
  providerId: '{provider_id}',
  name: '',
  clientId: '{organization_slug}',
  secret: '',
  key: '',
  settings: {},
  providerSettings: {},
})

function toProviderDetails({ record, callbackPath }: Provider): Details {
  const { id, name, protocol, needsApp } = record
  const path = callbackPath.replaceAll('%7B', '{').replaceAll('%7D', '}')
  return { id, name, kind: protocol, needs_app: needsApp, callback_path: path, fields: [...listAppFields(record)] }
}

const appField = (name: string, required = false): Field => ({ name, in: 'app', required })
const settingsField = (name: string, required = false): Field => ({ name, in: 'settings', required })

function listAppFields(record: Provider['record']): readonly Field[] {
  if (!record.needsApp) return []
  const clientId = appField('client_id', true)
  if (record.protocol === 'saml') return [clientId, appField('provider_id'), settingsField('idp', true)]
  if (record.protocol === 'oidc') {
    return [appField('provider_id', true), settingsField('server_url', true), clientId, appField('secret')]
  }
  return [clientId, appField('secret'), ...(hasKey(record) ? [appField('key')] : []), ...listSettingsFields(record)]
}

/** Whether the provider is one of the few with a third value. */
function hasKey(record: Provider['record']): boolean {
  if (record.protocol === 'oauth2' && record.clientAuth === 'apple') return true
  const text = JSON.stringify(record)
  return text.includes('{app_key}') || text.includes('"key_and_token"')
}

/** Lists the settings of an app, without per-visitor and derived ones. */
function listSettingsFields(record: Provider['record']): readonly Field[] {
  if (record.protocol !== 'oauth2') return []
  const key = record.clientAuth === 'apple' ? [settingsField('certificate_key', true)] : []
  const others = Object.entries(record.settings ?? {}).flatMap(([name, value]) => {
    if (typeof value === 'string') return [settingsField(name.toLowerCase())]
    if (value.setting === null || value.of !== undefined) return []
    return [settingsField((value.setting ?? name).toLowerCase(), value.default === undefined)]
  })
  return [...key, ...new Map(others.map((field) => [field.name, field])).values()]
}
