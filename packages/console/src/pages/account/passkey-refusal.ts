import { InputRefused } from './account-problem.ts'

/** What browsers call it when no passkey comes of it. @see W3C, "Web Authentication" Level 3, 5.1.3 and 5.1.4 */
const CODES: Readonly<Record<string, string>> = {
  NotAllowedError: 'passkey_given_up',
  AbortError: 'passkey_given_up',
  InvalidStateError: 'passkey_known',
  SecurityError: 'passkey_wrong_host',
  NotSupportedError: 'passkey_unsupported',
  TypeError: 'passkey_unsupported',
}

/** Asks the browser for a passkey. @throws {InputRefused} with a code of ours when none comes */
export async function withPasskey<C>(ask: () => Promise<C>): Promise<C> {
  try {
    return await ask()
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const code = CODES[name] ?? 'passkey_failed'
    throw new InputRefused([{ code, message: name }])
  }
}

/** Why there are no passkeys at an address, before anybody is asked for one; `null`: there are. */
export function noPasskeysAt(hostname: string, isSecure: boolean): 'number' | 'insecure' | null {
  // an address of numbers is no name, and passkeys belong to names
  if (/^[\d.]+$/.test(hostname) || hostname.startsWith('[')) return 'number'
  return isSecure ? null : 'insecure'
}

/** The same page by a name, where there are passkeys: this machine has one. */
export function namedAddress(href: string): string | null {
  const url = new URL(href)
  if (!/^127\.|^\[::1\]$/.test(url.hostname)) return null
  url.hostname = 'localhost'
  return url.href
}
