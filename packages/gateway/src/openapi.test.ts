import { errorNamed, openApiDocument } from './openapi.ts'
import { fakeAccounts } from './testing/fake-accounts.ts'
import { fakeChannels } from './testing/fake-channels.ts'
import { type TestServer, testServer } from './testing/test-server.ts'
import { gatewayRoutes } from './accounts/routes.ts'
import type { GatewayRoute } from './server/gateway-route.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const routes = gatewayRoutes({ ...fakeAccounts(), channels: fakeChannels() })
const document: unknown = JSON.parse(JSON.stringify(openApiDocument(routes, '1.2.3')))

/** What a JSON pointer leads to. */
const at = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value instanceof Object ? Reflect.get(value, part) : undefined), root)

const pointerTo = (...parts: string[]): string =>
  parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const listMembers = (value: unknown): [name: string, member: unknown][] =>
  value instanceof Object
    ? Reflect.ownKeys(value)
        .filter((key) => key !== 'length')
        .map((key) => [String(key), Reflect.get(value, key)])
    : []

function references(value: unknown): string[] {
  if (!(value instanceof Object)) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member] : references(member),
  )
}

describe('the OpenAPI document', () => {
  it('is of version 3.1 and names its edition', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Gatepost', version: '1.2.3' } })
  })

  it('describes every route, and no other', () => {
    const described = listMembers(at(document, '/paths')).flatMap(([path, methods]) =>
      listMembers(methods).map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted())
  })

  it('refers only to what it holds', () => {
    const all = [...new Set(references(document))]
    expect(all.length).toBeGreaterThan(5)
    expect(all.filter((ref) => at(document, ref.slice(1)) === undefined)).toEqual([])
  })

  it('names each operation once', () => {
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length)
  })

  it.each(routes.map((route) => [route.id, route] as const))('%s says what it takes and answers', (_id, route) => {
    const operation = at(document, pointerTo('paths', route.path, route.method.toLowerCase()))
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const parameters = listMembers(at(operation, '/parameters')).map(([, parameter]) => at(parameter, '/name'))
    expect(parameters).toEqual([...names, ...Object.keys(route.query?.shape ?? {})])
    expect(at(operation, '/requestBody') !== undefined).toBe(route.body !== undefined)
    for (const status of ['200', '401', '421', '422', '500', '503']) {
      expect(at(operation, `/responses/${status}/description`)).toEqual(expect.any(String))
    }
  })

  it('knows every error that a route names', () => {
    const unknown = routes.flatMap(({ errors }) => errors).filter((code) => errorNamed(code) === undefined)
    expect(unknown).toEqual([])
    const invented = { ...routes[0], errors: ['no_such_code'] } as GatewayRoute // a route with a misspelt code
    expect(() => openApiDocument([invented], '1')).toThrow('no_such_code')
  })
})

describe('what is served', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await testServer()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  it('is the document, to hasAccounts', async () => {
    const answer = await fetch(`${server.url}/api/openapi.json`)
    expect([answer.status, await answer.json()]).toEqual([200, document])
  })

  const bodies: Readonly<Record<string, unknown>> = {
    saveChannel: { enabled: true },
    sendMessage: { message: 'hi' },
    previewMessage: { message: 'hi' },
    answerSetup: { values: { bot_token: 'x' } },
    createToken: { name: 'backup' },
    createSocialApp: { provider: 'github', client_id: 'made-up-id', secret: 'made-up-secret' },
    changeSocialApp: { name: 'GitHub' },
    createClient: { name: 'Wiki', redirect_uris: ['https://wiki.example.org/callback'] },
    changeClient: { skip_consent: true },
    changeAccount: { active: false },
    changeAssistant: { model: 'made-up' },
    tryAssistant: { message: 'hi' },
    actInDemo: {},
  }
  const plain = routes.filter(({ stream }) => stream !== true)
  it.each(plain.map((route) => [route.id, route] as const))('%s answers as declared', async (id, route) => {
    const path = route.path.replace('{platform}', 'telegram').replace('{id}', 'd%2F1.0').replace('{operation}', 'bot')
    const answer = await server.call(route.method, path, bodies[id])
    const declared = route.answers[answer.status]?.schema.safeParse(await answer.json())
    expect(declared).toMatchObject({ success: true })
  })

  it.each(['/', '/api/docs', '/assets/page.css', '/assets/docs.js', '/assets/mark.svg'])(
    '%s is served',
    async (path) => {
      const answer = await fetch(server.url + path)
      const text = await answer.text()
      expect(answer.status).toBe(200)
      expect(text.length).toBeGreaterThan(100)
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe')
      const loaded = [...text.matchAll(/(?:src|href|url|import|fetch)(?:="|\(['"]?|\s+['"])([^"')]+)/g)].map(
        ([, to]) => to,
      )
      expect(loaded.filter((to) => /^(https?:)?\/\//.test(to ?? ''))).toEqual([])
      expect(text).not.toMatch(/<script>|<style>|\sstyle="|\son\w+="/)
    },
  )
})
