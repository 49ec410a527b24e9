import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { afterEach, describe, expect, it } from 'vitest'
import type { AuthOptions } from '../../options.ts'
import type { AuthTables } from '../../kernel/schema/tables.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld } from '../../testing/auth-world.ts'
import { templateFolder } from '../../testing/template-folder.ts'
import { ROUTES } from '../client/routes.ts'
import type { OperationRow } from '../../kernel/operations/declaration.ts'
import { SHAPE_EXAMPLES } from './examples.ts'

interface Api {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Record<string, Schema>; readonly securitySchemes: object }
}
interface Described {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema; readonly example?: object }> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Record<string, { readonly schema: { $ref: string } }> }>
  >
  readonly security: readonly object[]
}
interface Schema {
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly oneOf?: readonly object[]
}

let world: AuthWorld
afterEach(() => world.close())

type Options = Omit<Partial<AuthOptions<AuthTables>>, 'database' | 'clock' | 'mail' | 'log'>

/** Everything that the package has, in the sign-up too. */
const EVERYTHING: AuthSettingsInput = {
  account: {
    loginMethods: ['email', 'username', 'phone'],
    signupFields: ['email*', 'username*', 'phone', 'password1*', 'password2*'],
    loginByCodeEnabled: true,
    passwordResetByCodeEnabled: true,
    emailVerification: 'mandatory',
    emailVerificationByCodeEnabled: true,
    emailVerificationSupportsResend: true,
    phoneVerificationSupportsResend: true,
  },
  mfa: {
    enabled: true,
    supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
    passkeyLoginEnabled: true,
    passkeySignupEnabled: true,
    trustEnabled: true,
  },
  usersessions: { enabled: true, trackActivity: true },
  socialaccount: { enabled: true },
}

async function open(settings: AuthSettingsInput = {}, options: Options = {}): Promise<void> {
  world = await authWorld({
    ...options,
    adapters: { account: { sendVerificationCodeSms: async () => {} }, ...options.adapters },
    settings: { ...settings, headless: { enabled: true, serveSpecification: true, ...settings.headless } },
  })
}

async function describedBy(settings?: AuthSettingsInput, options?: Options): Promise<Api> {
  await open(settings, options)
  const answer = await world.visitor().get('/_allauth/openapi.json')
  expect(answer.status).toBe(200)
  return JSON.parse(answer.html) as Api // as it is described by OpenAPI
}

const listOperations = (api: Api): readonly (readonly [at: string, operation: Described])[] =>
  Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => {
        return [`${method.toUpperCase()} ${path.replace(/^\/_allauth\/[^/]+\/v1\//, '')}`, operation] as const
      }),
  )

/** The declared operations of the world that is open. */
const loadRows = async (): Promise<readonly OperationRow[]> =>
  (await world.auth.module('headless').loadResources()).flatMap(({ operations }) =>
    Object.values(operations).map(({ row }) => row),
  )

/** As a client of the description would: one schema, with everything that it refers to. */
function validator(api: Api): (schema: object) => (value: unknown) => readonly string[] {
  const ajv = new Ajv2020({ allErrors: true })
  formats.default(ajv)
  const inside = (value: object): string => JSON.stringify(value).replaceAll('#/components/schemas/', 'api#/$defs/')
  ajv.addSchema(JSON.parse(inside({ $id: 'api', $defs: api.components.schemas })) as object) // schemas, as before
  return (schema) => {
    const text = inside(schema)
    return (value) => {
      const valid = ajv.compile(JSON.parse(text) as object) // a schema, as before
      return valid(value) ? [] : (valid.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
    }
  }
}

describe('with everything on', () => {
  it('names every operation, each once', async () => {
    const api = await describedBy(EVERYTHING)
    const named = listOperations(api).filter(([at]) => at !== 'POST auth/provider/redirect')
    const routes = Object.entries(ROUTES).map(([name, { method, path }]) => [name, `${method} ${path}`])
    expect(Object.fromEntries(named.map(([at, { operationId }]) => [operationId, at]))).toEqual(
      Object.fromEntries(routes),
    )
    expect(named.length).toBe(routes.length)
  })

  it('declares 400 for input, and 401 where a user must be signed in', async () => {
    const api = await describedBy(EVERYTHING)
    const rows = await loadRows()
    const missing = listOperations(api).flatMap(([, { operationId, responses, requestBody, parameters = [] }]) => {
      const hasInput = requestBody !== undefined || parameters.some(({ name }) => name.startsWith('X-'))
      const isForUsers = rows.find(({ name }) => name === operationId)?.access === 'auth'
      const expected = [...(hasInput ? ['400'] : []), ...(isForUsers ? ['401'] : [])]
      return expected.filter((status) => !(status in responses)).map((status) => `${operationId} ${status}`)
    })
    expect(missing).toEqual([])
  })

  it('lists the codes of each response, which its schema requires', async () => {
    const api = await describedBy(EVERYTHING)
    const valid = validator(api)
    const find = (path: string, method: string, status: string): object =>
      api.paths[`/_allauth/{client}/v1/${path}`]?.[method]?.responses[status]?.content?.['application/json']?.schema ??
      {}
    const errors = (status: number, code: string) => ({ status, errors: [{ code, message: 'No.' }] })
    const reauthenticate = find('auth/reauthenticate', 'post', '400')
    const ofPasswords = ['invalid', 'required', 'null_characters_not_allowed', 'max_length']
    const codes = [...ofPasswords, 'incorrect_password', 'too_many_login_attempts']
    const error = { type: 'object', properties: { code: { type: 'string', enum: codes } } }
    expect(reauthenticate).toEqual({
      $ref: '#/components/schemas/Errors',
      type: 'object',
      properties: { errors: { type: 'array', items: error } },
    })
    expect(valid(reauthenticate)(errors(400, 'incorrect_password'))).toEqual([])
    expect(valid(reauthenticate)(errors(400, 'incorrect_code'))).not.toEqual([])
    const totp = find('account/authenticators/totp', 'get', '409')
    expect(valid(totp)(errors(409, 'unverified_email'))).toEqual([])
    expect(valid(totp)({ status: 409 })).toEqual([])
    expect(valid(totp)(errors(409, 'incorrect_code'))).not.toEqual([])
  })

  it('has examples that its schemas allow', async () => {
    const api = await describedBy(EVERYTHING)
    const valid = validator(api)
    const wrong = Object.entries(SHAPE_EXAMPLES).flatMap(([name, example]) =>
      valid({ $ref: `#/components/schemas/${name}` })(example).map((error) => `${name}${error}`),
    )
    expect(wrong).toEqual([])
    const rows = await loadRows()
    for (const [, { operationId, requestBody }] of listOperations(api)) {
      const body = requestBody?.content['application/json']
      if (body === undefined) continue
      const example = rows.find(({ name }) => name === operationId)?.example
      expect({ [operationId]: valid(body.schema)(example) }).toEqual({ [operationId]: [] })
      // The server reads every field in the client's types.
      const known = Object.keys(body.schema.properties ?? {})
      expect(Object.keys(example ?? {}).filter((name) => !known.includes(name))).toEqual([])
      expect(body.example).toEqual(example)
    }
  })

  it('refers to nothing that is not there, and has nothing that nothing refers to', async () => {
    const api = await describedBy(EVERYTHING)
    const referred = new Set(
      [...JSON.stringify(api).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name),
    )
    expect([...referred].toSorted()).toEqual(Object.keys(api.components.schemas).toSorted())
  })

  it('rejects undescribed members of responses', async () => {
    const api = await describedBy(EVERYTHING)
    const valid = validator(api)
    const totp = { type: 'totp', created_at: 1.5, last_used_at: null }
    expect(valid({ $ref: '#/components/schemas/Authenticators' })({ status: 200, data: [totp] })).toEqual([])
    const leaking = { status: 200, data: [{ ...totp, secret: 'JBSWY3DP' }] }
    expect(valid({ $ref: '#/components/schemas/Authenticators' })(leaking)).not.toEqual([])
  })

  it('serves the same as YAML, and as a page that loads nothing from elsewhere', async () => {
    const api = await describedBy(EVERYTHING)
    const yaml = await world.visitor().get('/_allauth/openapi.yaml')
    expect(yaml.headers.get('content-type')).toContain('yaml')
    expect(JSON.parse(yaml.html)).toEqual(api)
    const page = await world.visitor().get('/_allauth/openapi.html')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    for (const [, operation] of listOperations(api)) expect(page.html).toContain(`id="${operation.operationId}"`)
    const style = /href="([^"]*api-description.css)"/.exec(page.html)?.[1] ?? ''
    expect((await world.visitor().get(style)).status).toBe(200)
  })
})

describe('by the settings', () => {
  it("describes only one client's enabled operations", async () => {
    const api = await describedBy({ headless: { clients: ['app'] } })
    expect(Object.keys(api.paths).every((path) => path.startsWith('/_allauth/app/v1/'))).toBe(true)
    expect(Object.values(api.paths).some((item) => 'parameters' in item)).toBe(false)
    expect(Object.keys(api.paths).some((path) => /2fa|webauthn|authenticators|sessions|provider/.test(path))).toBe(
      false,
    )
    expect(api.components.schemas).not.toHaveProperty('Authenticators')
    expect(api.components.securitySchemes).not.toHaveProperty('csrfToken')
  })

  it('contains no tokens for browsers', async () => {
    const api = await describedBy({ headless: { clients: ['browser'] } })
    expect(JSON.stringify(api)).not.toMatch(/session_token|access_token|X-Session-Token/)
    expect(api.paths).not.toHaveProperty('/_allauth/browser/v1/tokens/refresh')
    for (const [, operation] of listOperations(api)) expect(Object.keys(operation.responses)).not.toContain('410')
  })

  it("has the fields of the sign-up, the host's too", async () => {
    const api = await describedBy(
      { account: { loginMethods: ['username'], signupFields: ['username*', 'password1*', 'password2*'] } },
      {
        signupForm: {
          fields: () => [{ name: 'newsletter', label: 'Newsletter', type: 'checkbox', required: false }],
          signup: async () => {},
        },
      },
    )
    const signup = api.paths['/_allauth/{client}/v1/auth/signup']?.['post']?.requestBody?.content['application/json']
    expect(Object.keys(signup?.schema.properties ?? {})).toEqual(['username', 'password', 'newsletter'])
    expect(signup?.schema.required).toEqual(['username', 'password'])
    expect(signup?.schema.properties?.['newsletter']).toEqual({ type: 'boolean', description: 'Newsletter' })
  })

  it("has the host's error codes", async () => {
    const api = await describedBy({}, { adapters: { account: { errorMessages: { foreign_domain: 'Not this one.' } } } })
    const declared = listOperations(api).flatMap(([, { responses }]) => responses['400'] ?? [])
    expect(declared.length).toBeGreaterThan(10)
    for (const response of declared) expect(JSON.stringify(response)).toContain('"foreign_domain"')
  })

  it("includes the host's additions to users and stages", async () => {
    const api = await describedBy(
      {},
      {
        adapters: {
          headless: {
            getUserSchema: () => ({ properties: { plan: { type: 'string' } }, required: ['plan'] }),
          },
          account: (defaults) => ({
            getLoginStages: () => [
              ...defaults.getLoginStages(),
              { key: 'terms', page: 'terms', resumable: () => true, enter: async () => ({ kind: 'pass' }) },
            ],
          }),
        },
      },
    )
    const valid = validator(api)
    const user = { id: 1, display: 'ada', has_usable_password: true }
    const shown = (own: object) => ({ status: 200, data: { user: own, methods: [] }, meta: { is_authenticated: true } })
    expect(valid({ $ref: '#/components/schemas/Authenticated' })(shown({ ...user, plan: 'free' }))).toEqual([])
    expect(valid({ $ref: '#/components/schemas/Authenticated' })(shown(user))).not.toEqual([])
    expect(valid({ $ref: '#/components/schemas/Flow' })({ id: 'terms', is_pending: true })).toEqual([])
  })

  it("contains the schemas of the host's token strategy", async () => {
    const api = await describedBy(
      {},
      {
        adapters: {
          headless: {
            tokenStrategy: () => ({
              findSession: async () => null,
              createSessionToken: (_request, token) => token,
              createAccessTokens: () => null,
              refresh: async () => null,
              tokenSchemas: () => ({ expires_in: { type: 'integer' } }),
            }),
          },
        },
      },
    )
    const { Status, AccessTokens } = api.components.schemas
    expect(JSON.stringify([Status, AccessTokens]).match(/"expires_in":\{"type":"integer"\}/g)).toHaveLength(3)
  })

  it('leaves undescribed host additions open', async () => {
    const api = await describedBy(
      {},
      { adapters: { headless: ({ serializeUser }) => ({ serializeUser: (...given) => serializeUser(...given) }) } },
    )
    expect(
      validator(api)({ $ref: '#/components/schemas/User' })({ display: 'a', has_usable_password: true, plan: 1 }),
    ).toEqual([])
  })

  it.each([
    ['the description is off', { serveSpecification: false }, 'openapi.json', 404],
    ['the page is off', { specificationTemplateName: null }, 'openapi.html', 404],
    ['the other page is chosen', { specificationTemplateName: 'headless/spec/swagger_cdn.html' }, 'openapi.html', 200],
  ])('%s', async (_why, headless, path, status) => {
    await open({ headless })
    expect((await world.visitor().get(`/_allauth/${path}`)).status).toBe(status)
  })

  it('lets a host template load its viewer from the configured origin only', async () => {
    const folder = await templateFolder({
      'api.html':
        '<script src="https://cdn.example.org/viewer.js"></script><link rel=stylesheet href=\'//styles.example.org/viewer.css\'><script src=https://third.example.org/more.js></script><viewer spec-url="{{ openapi_url }}"></viewer>',
    })
    await open({ headless: { specificationTemplateName: 'api.html' } }, { templates: { folders: [folder.path] } })
    const page = await world.visitor().get('/_allauth/openapi.html')
    expect(page.html).toContain('spec-url="/_allauth/openapi.json"')
    const policy = page.headers.get('content-security-policy')
    expect(policy).toContain(
      "script-src 'self' https://cdn.example.org https://styles.example.org https://third.example.org;",
    )
    expect(policy).toContain("connect-src 'self';")
    await folder.remove()
  })

  it('refuses to be posted to', async () => {
    await open()
    expect((await world.visitor().post('/_allauth/openapi.json')).status).toBe(405)
  })
})
