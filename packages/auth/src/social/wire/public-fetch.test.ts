import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../oauth2/testing-handshake.ts'
import { isPublicAddress, publicFetch, requirePublic } from './public-fetch.ts'

describe('an IP address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'localhost',
    '',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('an address', () => {
  it.each(['https://me.example/', 'http://me.example:8080/x', 'https://8.8.8.8/', 'https://[2606:4700::1111]/'])(
    '%s may be public',
    (address) => expect(requirePublic(address, false).href).toBe(address),
  )
  it.each([
    'http://localhost/',
    'http://a.localhost/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://[::ffff:7f00:1]/',
    'https://intranet/',
    'https://db.internal/',
    'https://printer.local/',
    'https://me.example:22/',
    'https://a:b@me.example/',
    'gopher://me.example/',
    'https://10.0.0.1/',
    'https://me.example.1/',
    'not an address',
  ])('%s may not', async (address) => expectFailure(Promise.resolve().then(() => requirePublic(address, false))))
})

describe('a name', () => {
  const server = createServer((request, response) => {
    let sent = ''
    request.on('data', (chunk: Buffer) => (sent += chunk.toString()))
    request.on('end', () => {
      if (request.url === '/empty') response.writeHead(204).end()
      else response.writeHead(200, { 'x-sent': sent, 'x-host': request.headers.host ?? '' }).end('inner')
    })
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  const here = async () => [{ address: '127.0.0.1', family: 4 }]
  const at = (path: string): string => {
    const address = server.address()
    return `http://me.example:${typeof address === 'object' && address !== null ? address.port : 0}${path}`
  }

  it('that leads within is not connected to', async () => {
    const fetch = publicFetch(here)
    await expect(fetch(new Request(at('/')))).rejects.toThrow('is not public')
    await expect(fetch(new Request(at('/').replace('http:', 'https:')))).rejects.toThrow('is not public')
    await expect(publicFetch(async () => [])(new Request(at('/')))).rejects.toThrow('is not public')
    const unknown = publicFetch(() => Promise.reject(new Error('ENOTFOUND')))
    await expect(unknown(new Request(at('/')))).rejects.toThrow('ENOTFOUND')
  })

  it('that does not is asked as it was to be', async () => {
    const fetch = publicFetch(here, () => true)
    const reply = await fetch(new Request(at('/x'), { method: 'POST', body: 'a=b' }))
    expect([reply.status, reply.headers.get('x-sent'), await reply.text()]).toEqual([200, 'a=b', 'inner'])
    expect(reply.headers.get('x-host')).toMatch(/^me\.example:/)
    expect((await fetch(new Request(at('/empty')))).status).toBe(204)
    const stopping = new AbortController()
    stopping.abort()
    await expect(fetch(new Request(at('/x'), { signal: stopping.signal }))).rejects.toThrow()
  })
})
