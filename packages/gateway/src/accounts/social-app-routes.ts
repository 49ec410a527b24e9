import { accountRoute, answers, type GatewayRoute, ok } from '../server/gateway-route.ts'
import { providerRoutes } from './provider-routes.ts'
import type { Core } from '@gatepost/auth'
import type { ShownSocialApp, SocialAppInput } from '@gatepost/auth/extend'
import { z } from 'zod'

/** What the routes of apps at providers need. */
export interface SocialAppParts {
  readonly core: Pick<Core, 'social' | 'database'>
}

const text = (max: number, about: string): z.ZodString => z.string().max(max).describe(about)

const fields = {
  provider: text(30, 'Id of the provider, e.g. `google`, `openid_connect`').min(1),
  provider_id: text(200, 'OpenID Connect and SAML: the name of this one in addresses, or the id of its issuer'),
  name: text(40, 'As people read it on its button'),
  client_id: text(191, 'As the provider gave it; SAML: the name of the organisation in addresses'),
  secret: text(10_000, 'As the provider gave it; never answered'),
  key: text(191, 'Of the few providers that have a third value'),
  settings: z.record(z.string(), z.unknown()).describe('Of this app, e.g. `server_url`, `scope`, `hidden`'),
}

const appShape = z
  .strictObject({
    id: z.int().nullable().describe('null: from the settings of the service, and changed there'),
    provider: z.string(),
    provider_id: z.string(),
    name: z.string(),
    client_id: z.string(),
    has_secret: z.boolean(),
    has_key: z.boolean(),
    settings: z.record(z.string(), z.unknown()).describe('What is secret in it reads `****`'),
    source: z.enum(['database', 'settings']),
    login_path: z.string(),
    callback_path: z.string().describe('Register it at the provider, behind the address of this service'),
  })
  .meta({ id: 'SocialApp', description: 'Our app at an identity provider, without its secrets' })

const changeBody = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Say what to change.')
const createBody = z.strictObject(fields).partial().extend({ provider: fields.provider })

const viewOf = (app: ShownSocialApp): z.input<typeof appShape> => ({
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

/** What was given, by the names of the package. */
const inputOf = ({
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

/** `/api/admin/social-apps`, `/api/admin/providers` */
export const socialAppRoutes = ({ core }: SocialAppParts): readonly GatewayRoute[] => [
  listRoute(core),
  createRoute(core),
  changeRoute(core),
  removeRoute(core),
  ...providerRoutes({ core }),
]

type AppCore = SocialAppParts['core']

/** What is no number names no row. */
const idOf = (params: Readonly<Record<string, string>>): number =>
  /^\d{1,9}$/.test(params['app'] ?? '') ? Number(params['app']) : -1

const listRoute = ({ social, database }: AppCore): GatewayRoute =>
  accountRoute({
    method: 'GET',
    path: '/api/admin/social-apps',
    id: 'listSocialApps',
    scope: 'admin',
    summary: 'Our apps at identity providers, without their secrets',
    answers: answers('All of them', z.strictObject({ social_apps: z.array(appShape) })),
    errors: [],
    handle: async () => ok({ social_apps: (await social.apps.shown(database.db)).map(viewOf) }),
  })

const createRoute = ({ social, database }: AppCore): GatewayRoute =>
  accountRoute({
    method: 'POST',
    path: '/api/admin/social-apps',
    id: 'createSocialApp',
    scope: 'admin',
    summary: 'Let people sign in at a provider, with an app that was registered there',
    body: { schema: createBody },
    answers: answers('The app', appShape),
    errors: ['invalid_input'],
    async handle({ body }) {
      const app = await social.apps.create(database.db, { ...inputOf(body), provider: body.provider })
      return ok(viewOf(app), `${app.provider} ${app.id}`)
    },
  })

const changeRoute = ({ social, database }: AppCore): GatewayRoute =>
  accountRoute({
    method: 'PATCH',
    path: '/api/admin/social-apps/{app}',
    id: 'changeSocialApp',
    scope: 'admin',
    summary: 'Change an app; what is left out stays, the secret too',
    body: { schema: changeBody },
    answers: answers('As it is now', appShape),
    errors: ['invalid_input', 'not_found'],
    handle: async ({ body, params }) => ok(viewOf(await social.apps.update(database.db, idOf(params), inputOf(body)))),
  })

const removeRoute = ({ social, database }: AppCore): GatewayRoute =>
  accountRoute({
    method: 'DELETE',
    path: '/api/admin/social-apps/{app}',
    id: 'removeSocialApp',
    scope: 'admin',
    summary: 'Remove an app; accounts that are connected by it stay, and cannot sign in by it',
    answers: answers('Removed', z.strictObject({ ok: z.literal(true) })),
    errors: ['not_found'],
    async handle({ params }) {
      await social.apps.remove(database.db, idOf(params))
      return ok({ ok: true })
    },
  })
