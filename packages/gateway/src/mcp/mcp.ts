import type { Audit, Client } from '../accounts/audit/audit.ts'
import { GatewayError } from '../server/errors.ts'
import { failureAnswer } from '../server/failure.ts'
import { VERSION } from '../version.ts'
import { type Tool, type ToolCall, createTools } from './tools.ts'
import type { Channels, Log } from '@gatepost/channels'
import type { McpHttpHandler, McpServer, ScopeChallengeHandler } from '@modelcontextprotocol/server'

/** An authenticated request of an agent. */
export interface McpRequest extends ToolCall {
  readonly client: Client
  readonly requestId: string
  /** URL of the resource metadata, for challenges. */
  readonly metadataUrl: string
}

/** Serves the tools over stateless streamable HTTP: any node handles any request. @see Model Context Protocol */
export interface Mcp {
  fetch(request: Request, from: McpRequest): Promise<Response>
}

/** Dependencies of the MCP server. */
export interface McpParts {
  readonly channels: Channels
  readonly audit: Pick<Audit, 'record'>
  readonly log: Log
}

/** Maximum size of a request body, in bytes. */
const BODY_MAX_BYTES = 1024 * 1024

/** Creates the MCP server. Loads the library on the first request, because most services never get one. */
export function createMcp(parts: McpParts): Mcp {
  let loading: Promise<McpHttpHandler> | null = null
  return {
    async fetch(request, from) {
      loading ??= createHandler(parts)
      const { caller } = from
      const authInfo = {
        token: '',
        clientId: caller.actor,
        scopes: [...caller.scopes],
        resourceMetadataUrl: from.metadataUrl,
        extra: { from },
      }
      return (await loading).fetch(request, { authInfo })
    },
  }
}

async function createHandler(parts: McpParts): Promise<McpHttpHandler> {
  const { createMcpHandler, McpServer: Server, requireScopes } = await import('@modelcontextprotocol/server')
  const tools = createTools(parts.channels)
  return createMcpHandler(
    ({ authInfo }) => {
      const from = authInfo?.extra?.['from'] as McpRequest // set by `createMcp`
      const server = new Server(
        { name: 'gatepost', title: 'Gatepost', version: VERSION },
        {
          // They don't change while the process runs.
          capabilities: { tools: { listChanged: false } },
          instructions:
            'Sends messages to people on their chat platforms. Call list_channels and list_users first. send_message reaches people who have messaged the bot.',
        },
      )
      for (const tool of tools) register(server, tool, { parts, from, challenge: requireScopes(tool.scope) })
      return server
    },
    {
      maxRequestBodySize: BODY_MAX_BYTES,
      maxSubscriptions: 0,
      onerror: (error) => parts.log.debug('Rejected a request of an agent', { error }),
    },
  )
}

function register(
  server: McpServer,
  tool: Tool,
  { parts, from, challenge }: { parts: McpParts; from: McpRequest; challenge: ScopeChallengeHandler },
): void {
  const { name, title, description, input: inputSchema, output: outputSchema, annotations } = tool
  const scopeChallenge: ScopeChallengeHandler = async (context) => {
    const missing = await challenge(context)
    if (missing !== undefined) await note(parts, tool, from, { code: 'scope_missing', outcome: 'refused' })
    return missing
  }
  const config = { title, description, inputSchema, outputSchema, annotations, scopeChallenge }
  server.registerTool(name, config, async (input: unknown) => {
    try {
      // The library handles challenges; other errors are unexpected.
      if (!from.caller.scopes.has(tool.scope)) throw new GatewayError('scope_missing')
      const result = await tool.run(from, input)
      await note(parts, tool, from, null)
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
    } catch (error) {
      const { body, unexpected } = failureAnswer(error, from.requestId)
      if (unexpected) parts.log.error('A tool failed', { request_id: from.requestId, tool: name, error })
      await note(parts, tool, from, { code: body.code, outcome: unexpected ? 'failed' : 'refused' })
      return refused(`${body.error} (${body.code})`)
    }
  })
}

const refused = (text: string) => ({ content: [{ type: 'text' as const, text }], isError: true })

/** Records calls that change something in the audit log. */
async function note(
  { audit }: McpParts,
  { name, annotations }: Tool,
  { caller, client }: McpRequest,
  failure: { readonly code: string; readonly outcome: 'refused' | 'failed' } | null,
): Promise<void> {
  if (annotations.readOnlyHint) return
  await audit.record({
    ...client,
    actor: caller.actor,
    actorKind: caller.kind,
    accountId: caller.principal.accountId,
    action: `mcp_${name}`,
    target: null,
    outcome: failure?.outcome ?? 'ok',
    code: failure?.code ?? null,
  })
}
