import { accountRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import type { Core } from '@gatepost/auth'
import type { Provider } from '@gatepost/auth/extend'
import { z } from 'zod'

/** What the routes of providers need. */
export interface ProviderParts {
  readonly core: Pick<Core, 'social'>
}

const entryFields = {
  id: z.string(),
  name: z.string(),
  kind: z.enum(['oauth2', 'oauth1', 'oidc', 'openid2', 'saml', 'custom']).describe('The protocol that it speaks'),
  needs_app: z.boolean().describe('false: people sign in there without an app of ours'),
}

const fieldShape = z.strictObject({
  name: z.string().describe('As the app, or its settings, call it'),
  in: z.enum(['app', 'settings']),
  required: z.boolean(),
})

const entryShape = z.strictObject(entryFields).meta({ id: 'Provider', description: 'Where people may sign in' })
const detailsShape = z
  .strictObject({
    ...entryFields,
    callback_path: z
      .string()
      .describe('To be registered there; `{provider_id}` and `{organization_slug}` stand for what the app says'),
    fields: z.array(fieldShape).describe('What an app there is made of'),
  })
  .meta({ id: 'ProviderDetails' })

type Details = z.input<typeof detailsShape>
type Field = z.input<typeof fieldShape>

/** `/api/admin/providers` */
export const providerRoutes = ({ core }: ProviderParts): readonly GatewayRoute[] => [
  listRoute(core),
  detailsRoute(core),
]

const listRoute = ({ social }: ProviderParts['core']): GatewayRoute =>
  accountRoute({
    method: 'GET',
    path: '/api/admin/providers',
    id: 'listProviders',
    scope: 'admin',
    summary: 'Identity providers that an app can be added for',
    answers: answers('All of them', z.strictObject({ providers: z.array(entryShape) })),
    errors: [],
    handle: async () => {
      const entries = await social.entries()
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

const detailsRoute = ({ social }: ProviderParts['core']): GatewayRoute =>
  accountRoute({
    method: 'GET',
    path: '/api/admin/providers/{provider}',
    id: 'getProvider',
    scope: 'admin',
    summary: 'What an app at a provider is made of, and what to register there',
    answers: answers('The provider', detailsShape),
    errors: ['not_found'],
    handle: async ({ params }) => ok(viewOf(await social.provider(appOf(params['provider'] ?? '')))),
  })

/** An app that is not there yet. */
const appOf = (provider: string): Provider['app'] => ({
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

function viewOf({ record, callbackPath }: Provider): Details {
  const { id, name, protocol, needsApp } = record
  const path = callbackPath.replaceAll('%7B', '{').replaceAll('%7D', '}')
  return { id, name, kind: protocol, needs_app: needsApp, callback_path: path, fields: [...fieldsOf(record)] }
}

const ofApp = (name: string, required = false): Field => ({ name, in: 'app', required })
const ofSettings = (name: string, required = false): Field => ({ name, in: 'settings', required })

function fieldsOf(record: Provider['record']): readonly Field[] {
  if (!record.needsApp) return []
  const clientId = ofApp('client_id', true)
  if (record.protocol === 'saml') return [clientId, ofApp('provider_id'), ofSettings('idp', true)]
  if (record.protocol === 'oidc') {
    return [ofApp('provider_id', true), ofSettings('server_url', true), clientId, ofApp('secret')]
  }
  return [clientId, ofApp('secret'), ...(hasKey(record) ? [ofApp('key')] : []), ...settingsOf(record)]
}

/** Of the few that have a third value. */
function hasKey(record: Provider['record']): boolean {
  if (record.protocol === 'oauth2' && record.clientAuth === 'apple') return true
  const text = JSON.stringify(record)
  return text.includes('{app_key}') || text.includes('"key_and_token"')
}

/** Those that an app may set itself; a setting of a visitor, or one that is made of another, is none. */
function settingsOf(record: Provider['record']): readonly Field[] {
  if (record.protocol !== 'oauth2') return []
  const key = record.clientAuth === 'apple' ? [ofSettings('certificate_key', true)] : []
  const others = Object.entries(record.settings ?? {}).flatMap(([name, value]) => {
    if (typeof value === 'string') return [ofSettings(name.toLowerCase())]
    if (value.setting === null || value.of !== undefined) return []
    return [ofSettings((value.setting ?? name).toLowerCase(), value.default === undefined)]
  })
  return [...key, ...new Map(others.map((field) => [field.name, field])).values()]
}
