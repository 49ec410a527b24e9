import { describe, expect, it } from 'vitest'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { dataFolder, serverUrl } from './server-address.ts'
import type { Io } from './io.ts'

const found: readonly [why: string, url: string | undefined, env: Io['env'], expected: string][] = [
  ['this machine without settings', undefined, {}, 'http://127.0.0.1:7070'],
  ['host and port', undefined, { GATEPOST_HOST: '127.0.0.2', GATEPOST_PORT: '8080' }, 'http://127.0.0.2:8080'],
  ['an own address, even in clear', undefined, { GATEPOST_HOST: '192.168.1.5' }, 'http://192.168.1.5:7070'],
  ['every address is reached by loopback', undefined, { GATEPOST_HOST: '0.0.0.0' }, 'http://127.0.0.1:7070'],
  ['every address of version 6', undefined, { GATEPOST_HOST: '::' }, 'http://[::1]:7070'],
  ['an address of version 6', undefined, { GATEPOST_HOST: '::1' }, 'http://[::1]:7070'],
  ['the public address', undefined, { GATEPOST_PUBLIC_URL: 'https://gate.example' }, 'https://gate.example'],
  [
    'the port before the public address',
    undefined,
    { GATEPOST_PUBLIC_URL: 'https://gate.example', GATEPOST_PORT: '7071' },
    'http://127.0.0.1:7071',
  ],
  [
    '--url before everything',
    'https://other.example/gate/',
    { GATEPOST_PORT: '1', GATEPOST_PUBLIC_URL: 'https://gate.example' },
    'https://other.example/gate',
  ],
]

const refused: readonly [why: string, url: string | undefined, env: Io['env'], sentence: RegExp][] = [
  ['no address', 'nonsense', {}, /--url must be an address/],
  ['another scheme', 'file:///etc/passwd', {}, /--url must be an address/],
  [
    'a password in it',
    'https://user:secret@gate.example',
    {},
    /^--url must be an address such as http:\/\/127\.0\.0\.1:7070\.$/,
  ],
  ['the token in clear over a network', 'http://gate.example', {}, /doesn't send tokens to gate\.example unencrypted/],
  ['the same by the environment', undefined, { GATEPOST_PUBLIC_URL: 'http://gate.example' }, /unencrypted/],
  ['a name that only looks like loopback', 'http://127.0.0.1.evil.example', {}, /unencrypted/],
  ['a port that is none', undefined, { GATEPOST_PORT: '99999' }, /GATEPOST_PORT must be/],
  ['a port that is not known', undefined, { GATEPOST_PORT: '0' }, /--url/],
]

describe('the address of the server', () => {
  it.each(found)('is %s', (_why, url, env, expected) => {
    expect(serverUrl(url, env)).toBe(expected)
  })
  it.each(refused)('is not %s', (_why, url, env, sentence) => {
    expect(() => serverUrl(url, env)).toThrow(sentence)
  })
})

describe('the data folder', () => {
  it.each([
    ['in the home folder by default', {}, join(homedir(), '.gatepost')],
    ['below the home folder by ~/', { GATEPOST_DATA_DIR: '~/elsewhere' }, join(homedir(), 'elsewhere')],
    ['an absolute path', { GATEPOST_DATA_DIR: '/srv/gatepost/' }, '/srv/gatepost'],
    ['a path from here', { GATEPOST_DATA_DIR: 'data' }, join(process.cwd(), 'data')],
  ])('is %s', (_why, env, expected) => {
    expect(dataFolder(env)).toBe(expected)
  })
})
