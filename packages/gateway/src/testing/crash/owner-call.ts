import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** A call of the API as its owner, of the service that listens at `url`. */
export async function call(
  url: string,
  dataDir: string,
  method: string,
  route: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const token = (await readFile(path.join(dataDir, 'api-token'), 'utf8')).trim()
  const response = await fetch(`${url}${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  // every answer of the API is a JSON object
  return (await response.json()) as Record<string, unknown>
}
