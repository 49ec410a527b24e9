import { InputRejected } from './account-problem.ts'

/** Codes by the browser's error name. @see W3C, "Web Authentication" Level 3, 5.1.3 and 5.1.4 */
const PASSKEY_CODES: Readonly<Record<string, string>> = {
  NotAllowedError: 'passkey_given_up',
  AbortError: 'passkey_given_up',
  InvalidStateError: 'passkey_known',
  SecurityError: 'passkey_wrong_host',
  NotSupportedError: 'passkey_unsupported',
  TypeError: 'passkey_unsupported',
}

/** Requests a passkey from the browser. @throws {InputRejected} with one of the codes above */
export async function requestPasskey<C>(ask: () => Promise<C>): Promise<C> {
  try {
    return await ask()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const code = PASSKEY_CODES[name] ?? 'passkey_failed'
    throw new InputRejected([{ code, message: name }])
  }
}

/** Returns why passkeys don't work at a host, or `null` if they do. */
export function findPasskeyObstacle(hostname: string, isSecure: boolean): 'number' | 'insecure' | null {
  // passkeys are bound to domain names, not IP addresses
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return 'number'
  return isSecure ? null : 'insecure'
}

/** Returns the URL with `localhost` instead of a loopback address; `null` for other hosts. */
export function toLocalhostUrl(href: string): string | null {
  const url = new URL(href)
  if (!/^127\.|^\[::1\]$/.test(url.hostname)) return null
  url.hostname = 'localhost'
  return url.href
}
