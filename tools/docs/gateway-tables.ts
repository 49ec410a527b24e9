import { CHANNEL_ERRORS, SETUP_FAILURES } from '@gatepost/channels'
import {
  ALL_SETTINGS,
  errorsOf,
  GATEWAY_ERRORS,
  type GatewayRoute,
  gatewayRoutes,
  openApiDocument,
  type RouteParts,
} from '@gatepost/gateway'
import { SQL_ERRORS } from '@gatepost/sql'
import { code, errorTable, table } from './table.ts'

/** Every variable of the environment that is the service's own. */
export const settingsTable = (): string =>
  table(
    ['Name', 'Default', 'Allowed', 'What it is'],
    ALL_SETTINGS.map(({ name, fallback, form, about, secret }) => [
      code(name),
      fallback === null ? 'unset' : code(fallback),
      form,
      secret === true ? `${about} Secret: never shown.` : about,
    ]),
  )

/** Every code that the API answers. */
export const errorsTables = (): string =>
  [
    '### Channels',
    errorTable(CHANNEL_ERRORS),
    '### Requests',
    errorTable({ ...GATEWAY_ERRORS, database_unavailable: SQL_ERRORS.database_unavailable }),
    '### Set-ups',
    'Why a [set-up](setup-for-programs.md) failed: not an answer of its own, but `error` of the set-up.',
    table(
      ['Code', 'Sentence'],
      Object.entries(SETUP_FAILURES).map(([name, sentence]) => [code(name), sentence]),
    ),
  ].join('\n\n')

/** The routes are data; only their handlers would call the service, and none is called here. */
const routes = (): readonly GatewayRoute[] => gatewayRoutes(WITH_EVERYTHING as unknown as RouteParts) // see above

const ON = { enabled: true }
const WITH_EVERYTHING = { core: { settings: { socialaccount: ON, idpOidc: ON }, social: {}, oidc: {}, database: {} } }

/** The OpenAPI document of every route. */
export const gatewayDocument = (): ReturnType<typeof openApiDocument> => openApiDocument(routes(), '')

/** Every code that the API or a set-up may say, in the order of their names. */
export const errorCodes = (): readonly string[] =>
  Object.keys({ ...CHANNEL_ERRORS, ...GATEWAY_ERRORS, ...SETUP_FAILURES, database_unavailable: 0 }).toSorted()

/** Routes that have errors in common, which are told once, below the table. */
const GROUPS: readonly (readonly [which: string, has: (route: GatewayRoute) => boolean])[] = [
  ['Any of them may also answer', () => true],
  ['any that changes something', ({ method }) => method !== 'GET'],
  ['any about an account (`?account=`)', ({ perAccount }) => perAccount === true],
  ['any with `{platform}` in its path', ({ path }) => path.includes('{platform}')],
  ['any that takes a body', ({ body }) => body !== undefined],
]

/** Every route, its scope and its errors. */
export function routesTable(): string {
  const told = new Map<string, (route: GatewayRoute) => boolean>()
  const notes = GROUPS.map(([which, has]) => {
    const group = routes().filter(has)
    const shared = [...new Set(group.flatMap(errorsOf))].filter(
      (name) => !told.has(name) && group.every((route) => errorsOf(route).includes(name)),
    )
    for (const name of shared) told.set(name, has)
    return `${which} ${shared.map(code).join(', ')}`
  })
  const rows = routes().map((route) => [
    code(`${route.method} ${route.path}`),
    code(route.scope),
    route.summary,
    errorsOf(route)
      .filter((name) => told.get(name)?.(route) !== true)
      .map(code)
      .join(', '),
  ])
  return `${table(['Request', 'Scope', 'What it does', 'Errors of its own'], rows)}\n\n${notes.join('; ')}.`
}
