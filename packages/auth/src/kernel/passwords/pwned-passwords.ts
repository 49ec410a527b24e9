import { createHash } from 'node:crypto'
import type { Log } from '../io.ts'

const TIMEOUT_MS = 2_000
const LARGEST_ANSWER = 1_000_000

/**
 * Creates a client of the Pwned Passwords API, for `isBreached`. Sends only the first five of forty hex digits of the
 * password's SHA-1; the response is padded to hide its length. If the API doesn't respond within two seconds, the
 * password passes and a warning is logged.
 * @param io.url Base URL of a server with the same protocol.
 * @see Have I Been Pwned, "API v3", "Searching by range"
 */
export function pwnedPasswords(io: {
  readonly fetch: typeof fetch
  readonly log: Log
  readonly url?: string
}): (password: string) => Promise<boolean> {
  const base = io.url ?? 'https://api.pwnedpasswords.com/range/'
  return async (password) => {
    const digits = createHash('sha1').update(password).digest('hex').toUpperCase()
    try {
      const response = await io.fetch(base + digits.slice(0, 5), {
        headers: { 'Add-Padding': 'true' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
      })
      if (response.status !== 200) throw new Error(`status ${response.status}`)
      return hasSuffix(await readRangeBody(response), digits.slice(5))
    } catch (error) {
      io.log.warn("Couldn't check a password with Pwned Passwords", {
        reason: error instanceof Error ? error.message : 'unknown',
      })
      return false
    }
  }
}

/** Returns whether the range contains a suffix. Lines are `<35 hex digits>:<count>`; padding has a count of 0. */
const hasSuffix = (text: string, suffix: string): boolean =>
  text.split('\n').some((line) => {
    const [digits, count] = line.trim().split(':')
    return digits?.toUpperCase() === suffix && Number(count) > 0
  })

async function readRangeBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > LARGEST_ANSWER) throw new Error('response too long')
  }
  return Buffer.concat(chunks).toString()
}
