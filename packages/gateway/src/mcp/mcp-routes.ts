import type { Hono } from 'hono'
import { jsonResponse } from '../server/api-call.ts'
import { type AppContext, type AppEnv, type AppOptions, getRemoteAddress } from '../server/app-options.ts'
import { GatewayError } from '../server/errors.ts'

/** Path of the MCP server. */
export const MCP_PATH = '/mcp'

/** @see RFC 9728 section 3.1 */
const METADATA_PATHS = ['/.well-known/oauth-protected-resource', `/.well-known/oauth-protected-resource${MCP_PATH}`]

const SCOPES = ['channels:read', 'channels:send'] as const

/** Serves the Model Context Protocol and its OAuth metadata. */
export function mcpRoutes(app: Hono<AppEnv>, options: AppOptions): void {
  const { mcp, people, clientOf } = options
  if (mcp === null) return
  for (const path of METADATA_PATHS) {
    app.get(path, (c) => {
      c.set('routeId', 'mcp_metadata')
      const origin = findOrigin(c, options)
      const metadata = {
        resource: `${origin}${MCP_PATH}`,
        resource_name: 'Gatepost',
        authorization_servers: [origin],
        scopes_supported: SCOPES,
        bearer_methods_supported: ['header'],
      }
      return jsonResponse(metadata, 200, { 'access-control-allow-origin': '*' })
    })
  }
  app.all(MCP_PATH, async (c) => {
    c.set('routeId', 'mcp')
    const metadataUrl = `${findOrigin(c, options)}${METADATA_PATHS[1] ?? ''}`
    const caller = await people.findCaller(c.req.raw)
    // Browser sessions aren't accepted here: another site's page could use them.
    if (caller === null || caller.isByCookie) {
      throw new GatewayError('unauthorized', { headers: { 'www-authenticate': challenge(c, metadataUrl) } })
    }
    const client = clientOf(c.req.raw, getRemoteAddress(c))
    const signal = AbortSignal.any([c.req.raw.signal, options.stopping])
    const end = options.limits.startRequest(caller)
    try {
      return await mcp.fetch(c.req.raw, { caller, client, signal, requestId: c.get('requestId'), metadataUrl })
    } finally {
      end()
    }
  })
}

/** @see RFC 9728 section 5.1, RFC 6750 section 3 */
function challenge(c: AppContext, metadataUrl: string): string {
  const error = c.req.header('authorization') === undefined ? '' : ', error="invalid_token"'
  return `Bearer realm="gatepost"${error}, resource_metadata="${metadataUrl}", scope="${SCOPES.join(' ')}"`
}

/** Returns the public origin. The host has been checked before. */
const findOrigin = (c: AppContext, { addresses }: AppOptions): string =>
  addresses.publicUrl ?? `http://${c.req.header('host') ?? new URL(c.req.url).host}`
