import { createServer, type RequestListener, type Server } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPublicNetwork, isPublicAddress } from './public-network.ts'

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

describe('a server that someone else chose', () => {
  let hits = 0
  const answer: RequestListener = (request, response) => {
    hits += 1
    let sent = ''
    request.on('data', (chunk: Buffer) => (sent += chunk.toString()))
    request.on('end', () => {
      if (request.url === '/empty') response.writeHead(204).end()
      else if (request.url === '/away') response.writeHead(302, { location: 'http://inner.example/' }).end()
      else response.writeHead(200, { 'x-sent': sent, 'x-host': request.headers.host ?? '' }).end('inner')
    })
  }
  const server: Server = createServer(answer)
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  const port = (): number => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }
  const at = (path: string, host = 'me.example'): string => `http://${host}:${port()}${path}`
  const local = { address: '127.0.0.1', family: 4 }
  const find = async () => [local]

  it('is not reached at a private address, by any scheme or notation', async () => {
    hits = 0
    const network = createPublicNetwork({ find })
    for (const url of [at('/'), at('/').replace('http:', 'https:')])
      await expect(network.fetch(url)).rejects.toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' })
    const real = createPublicNetwork()
    for (const host of [
      '127.0.0.1',
      'localhost',
      '127.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0.0.0.0',
    ])
      await expect(real.fetch(at('/', host))).rejects.toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' })
    await expect(createPublicNetwork({ find: async () => [] }).fetch(at('/'))).rejects.toThrow('is not public')
    expect(hits).toBe(0)
  })

  it('is reached at the address that was checked, even if its name changes', async () => {
    hits = 0
    let asked = 0
    const network = createPublicNetwork({
      allowed: ['127.0.0.1'],
      find: async () => [++asked === 1 ? local : { address: '127.0.0.2', family: 4 }],
    })
    expect((await network.fetch(at('/'))).status).toBe(200)
    expect([asked, hits]).toEqual([1, 1])
    await expect(network.fetch(at('/'))).rejects.toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' })
    expect([asked, hits]).toEqual([2, 1])
  })

  it.each([['me.example'], ['ME.example'], ['127.0.0.1'], ['127.0.0.0/8']])(
    'is reached when the operator allows %s',
    async (entry) => {
      const network = createPublicNetwork({ find, allowed: [entry] })
      const reply = await network.fetch(at('/x'), { method: 'POST', body: 'a=b' })
      expect([reply.status, reply.headers.get('x-sent'), await reply.text()]).toEqual([200, 'a=b', 'inner'])
      expect(reply.headers.get('x-host')).toMatch(/^me\.example:/)
      expect((await network.fetch(at('/empty'))).status).toBe(204)
      await expect(network.fetch(at('/x'), { signal: AbortSignal.abort() })).rejects.toThrow()
    },
  )

  it.each([['other.example'], ['10.0.0.0/8'], ['example']])(
    'is not reached because the operator allows %s',
    async (entry) => {
      const network = createPublicNetwork({ find, allowed: [entry] })
      await expect(network.fetch(at('/'))).rejects.toMatchObject({ code: 'ADDRESS_NOT_PUBLIC' })
    },
  )

  it('cannot redirect elsewhere', async () => {
    const network = createPublicNetwork({ find, allowed: ['me.example'] })
    const reply = await network.fetch(at('/away'))
    expect([reply.status, reply.headers.get('location')]).toEqual([302, 'http://inner.example/'])
  })

  it('gets a socket only at a checked address', async () => {
    const open = (allowed: readonly string[]): Promise<string> =>
      new Promise((resolve) => {
        const { lookup } = createPublicNetwork({ find, allowed })
        const socket = connect({ host: 'me.example', port: port(), lookup })
        socket.once('connect', () => resolve('connected')).once('error', (error) => resolve(error.message))
        socket.once('connect', () => socket.destroy())
      })
    expect(await open(['me.example'])).toBe('connected')
    expect(await open([])).toBe('The address of this server is not public.')
  })
})
