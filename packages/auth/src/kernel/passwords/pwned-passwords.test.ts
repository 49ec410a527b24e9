import { describe, expect, it } from 'vitest'
import type { Log, LogFields } from '../io.ts'
import { pwnedPasswords } from './pwned-passwords.ts'

// SHA-1 of "password" is 5BAA6 1E4C9B93F3F0682250B6CF8331B7EE68FD8.
const KNOWN = '1E4C9B93F3F0682250B6CF8331B7EE68FD8'

function world(answer: () => Response | Promise<Response>) {
  const urls: string[] = []
  const lines: [string, LogFields | undefined][] = []
  const line = (message: string, fields?: LogFields): void => void lines.push([message, fields])
  const log: Log = { debug: line, info: line, warn: line, error: line }
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    urls.push(url instanceof Request ? url.url : url.toString())
    return answer()
  }
  return { urls, lines, isBreached: pwnedPasswords({ fetch, log }) }
}

describe('the list of leaked passwords', () => {
  it('gets five digits of the hash and nothing more', async () => {
    const { urls, isBreached } = world(() => new Response(`0018A45C4D1DEF81644B54AB7F969B88D65:1\r\n${KNOWN}:42\r\n`))
    expect(await isBreached('password')).toBe(true)
    expect(urls).toEqual(['https://api.pwnedpasswords.com/range/5BAA6'])
  })

  it.each([
    ['another suffix', `0018A45C4D1DEF81644B54AB7F969B88D65:1`],
    ['padding', `${KNOWN}:0`],
    ['nothing', ''],
    ['nonsense', '<html>'],
  ])('does not know the password: %s', async (_why, body) => {
    const { lines, isBreached } = world(() => new Response(body))
    expect(await isBreached('password')).toBe(false)
    expect(lines).toEqual([])
  })

  it.each([
    ['it fails', () => new Response('', { status: 503 }), 'status 503'],
    ['it is unreachable', () => Promise.reject(new TypeError('fetch failed')), 'fetch failed'],
    ['the response is too long', () => new Response('x'.repeat(1_000_001)), 'response too long'],
  ])('accepts the password and logs a warning when %s', async (_why, answer, reason) => {
    const { lines, isBreached } = world(answer)
    expect(await isBreached('password')).toBe(false)
    expect(lines).toEqual([["Couldn't check a password with Pwned Passwords", { reason }]])
  })
})
