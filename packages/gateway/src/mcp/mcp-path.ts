/** Where agents call. */
export const MCP_PATH = '/mcp'
