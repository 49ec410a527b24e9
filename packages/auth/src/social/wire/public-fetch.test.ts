import { describe, expect, it } from 'vitest'
import { expectFailure } from '../oauth2/testing-handshake.ts'
import { createPublicNetwork } from '@gatepost/sql'
import { publicFetch, requirePublic } from './public-fetch.ts'

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

it('refuses a name that leads within', async () => {
  const network = createPublicNetwork({ find: async () => [{ address: '127.0.0.1', family: 4 }] })
  await expectFailure(publicFetch(network)(new Request('https://me.example/')))
})
