import { CHANNEL_ERRORS, SETUP_FAILURES } from '@gatepost/channels'
import {
  ALL_SETTINGS,
  listRouteErrors,
  GATEWAY_ERRORS,
  type GatewayRoute,
  gatewayRoutes,
  openApiDocument,
  type RouteParts,
} from '@gatepost/gateway'
import { SQL_ERRORS } from '@gatepost/sql'
import { renderErrorTable, renderTable, toCode } from './table.ts'

/** Renders every environment variable of the service itself. */
export const renderSettings = (): string =>
  renderTable(
    ['Name', 'Default', 'Allowed values', 'Description'],
    ALL_SETTINGS.map(({ name, fallback, form, about, secret }) => [
      toCode(name),
      fallback === null ? 'unset' : toCode(fallback),
      form,
      secret === true ? `${about} Secret: never shown.` : about,
    ]),
  )

/** Renders every error code of the API and of setups. */
export const renderErrors = (): string =>
  [
    '### Channels',
    renderErrorTable(CHANNEL_ERRORS),
    '### Requests',
    renderErrorTable({ ...GATEWAY_ERRORS, database_unavailable: SQL_ERRORS.database_unavailable }),
    '### Setups',
    'These codes appear in the `error` field of a failed [setup](setup-for-programs.md#http-resource), not as a response of their own.',
    renderTable(
      ['Code', 'Message'],
      Object.entries(SETUP_FAILURES).map(([name, message]) => [toCode(name), message]),
    ),
  ].join('\n\n')

/** The routes are data. Only their handlers would call the service, and none is called here. */
const loadRoutes = (): readonly GatewayRoute[] => gatewayRoutes(ALL_PARTS as unknown as RouteParts) // see above

const ON = { enabled: true }
const ALL_PARTS = { auth: { kernel: { settings: { socialaccount: ON, idpOidc: ON } } } }

/** Returns the OpenAPI document of every route. */
export const createGatewayDocument = (): ReturnType<typeof openApiDocument> => openApiDocument(loadRoutes(), '')

/** Returns every code that the API or a setup can report, sorted. */
export const listErrorCodes = (): readonly string[] =>
  Object.keys({ ...CHANNEL_ERRORS, ...GATEWAY_ERRORS, ...SETUP_FAILURES, database_unavailable: 0 }).toSorted()

/** Groups of routes whose common errors are listed once, below the table. */
const GROUPS: readonly (readonly [which: string, has: (route: GatewayRoute) => boolean])[] = [
  ['Any route can also return', () => true],
  ['any that changes something,', ({ method }) => method !== 'GET'],
  ['any that takes `?account=`,', ({ perAccount }) => perAccount === true],
  [
    'any that takes `?account=` and changes something,',
    ({ perAccount, method, changesNothing }) => perAccount === true && method !== 'GET' && changesNothing !== true,
  ],
  ['any with `{platform}` in its path,', ({ path }) => path.includes('{platform}')],
  ['any that takes a body,', ({ body }) => body !== undefined],
]

/** Renders every route with its scope and errors. */
export function renderRoutes(): string {
  const shared = new Map<string, (route: GatewayRoute) => boolean>()
  const notes = GROUPS.map(([which, has]) => {
    const group = loadRoutes().filter(has)
    const common = [...new Set(group.flatMap(listRouteErrors))].filter(
      (name) => !shared.has(name) && group.every((route) => listRouteErrors(route).includes(name)),
    )
    for (const name of common) shared.set(name, has)
    return `${which} ${common.map(toCode).join(', ')}`
  })
  const rows = loadRoutes().map((route) => [
    toCode(`${route.method} ${route.path}`),
    toCode(route.scope),
    route.summary,
    listRouteErrors(route)
      .filter((name) => shared.get(name)?.(route) !== true)
      .map(toCode)
      .join(', '),
  ])
  return `${renderTable(['Request', 'Scope', 'What it does', 'Errors'], rows)}\n\n${notes.join('; ')}.`
}
