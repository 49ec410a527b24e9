import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const FOLDER = new URL('../../../assets/', import.meta.url)
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly etag: string
  readonly type: string
}

/**
 * Returns a handler that serves the package's static files, or returns `null` if there's no file of this name. A name
 * can't escape the folder.
 */
export function createAssets(): (request: Request, name: string) => Promise<Response | null> {
  const known = new Map<string, Promise<Asset | null>>()
  return async (request, name) => {
    const type = /^[a-z][a-z0-9-]*\.(css|js|svg)$/.exec(name)?.[1]
    if (type === undefined) return null
    const loading = known.get(name) ?? load(name, TYPES[type] ?? '')
    const asset = await loading
    if (asset === null) return null
    known.set(name, loading)
    const headers = {
      'content-type': asset.type,
      etag: asset.etag,
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    }
    if (request.headers.get('if-none-match') === asset.etag) return new Response(null, { status: 304, headers })
    return new Response(request.method === 'HEAD' ? null : asset.bytes, { headers })
  }
}

async function load(name: string, type: string): Promise<Asset | null> {
  try {
    const bytes = new Uint8Array(await readFile(new URL(name, FOLDER)))
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`, type }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
