import { type Answered, readAnswer, CALLBACK, CHALLENGE, codeGrant, RESOURCE } from '../testing-bench.ts'
import { type At, basic, statusAndError, type Row } from './attack.ts'

const TOKEN = '/identity/o/api/token'
const USERINFO = '/identity/o/api/userinfo'

/** Exchanges a code with changed fields. */
const changedGrant =
  (changes: (at: At) => Record<string, string>, params: Record<string, string> = {}) =>
  async (at: At): Promise<unknown> => {
    const code = await at.bench.code(at.own.client, params)
    return statusAndError(await at.bench.post(TOKEN, { ...codeGrant(at.own, code), ...changes(at) }))
  }

/** Attacks on code exchange. */
export const CODES: readonly Row[] = [
  [
    'a code is used twice: the second one fails and ends the tokens of the first',
    async ({ bench, own }) => {
      const code = await bench.code(own.client)
      const first = await bench.post(TOKEN, codeGrant(own, code))
      const second = await bench.post(TOKEN, codeGrant(own, code))
      const access = String(first.json['access_token'])
      const refresh = await bench.post(TOKEN, {
        ...client(own),
        grant_type: 'refresh_token',
        refresh_token: String(first.json['refresh_token']),
      })
      return [
        first.status,
        statusAndError(second),
        await bench.world.auth.module('oidc').tokens.check(access),
        statusAndError(refresh),
      ]
    },
    [200, [400, 'invalid_grant'], null, [400, 'invalid_grant']],
  ],
  ['a code of another client (injection)', changedGrant(({ other }) => client(other)), [400, 'invalid_grant']],
  [
    'a code with another redirect URI',
    changedGrant(() => ({ redirect_uri: `${CALLBACK}?x=1` })),
    [400, 'invalid_grant'],
  ],
  ['a code without its redirect URI', changedGrant(() => ({ redirect_uri: '' })), [400, 'invalid_request']],
  ['a code with another verifier', changedGrant(() => ({ code_verifier: CHALLENGE })), [400, 'invalid_grant']],
  ['a code without its verifier', changedGrant(() => ({ code_verifier: '' })), [400, 'invalid_grant']],
  [
    'a verifier for a code that was requested without a challenge (downgrade)',
    changedGrant(() => ({}), { code_challenge: '', code_challenge_method: '' }),
    [400, 'invalid_grant'],
  ],
  [
    'an expired code',
    changedGrant(({ bench }) => {
      bench.world.clock.advance(61_000)
      return {}
    }),
    [400, 'invalid_grant'],
  ],
  ['a wrong secret', changedGrant(() => ({ client_secret: 'wrong' })), [401, 'invalid_client']],
  ['no secret', changedGrant(() => ({ client_secret: '' })), [401, 'invalid_client']],
  [
    'a body in which two parsers may see two clients',
    async ({ bench, own, other }) => {
      const grant = `client_id=${other.client.id}&client_secret=${own.secret}&grant_type=refresh_token&refresh_token=x`
      const body = `\uFEFFclient_id=${own.client.id}&${grant}`
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return statusAndError(await readAnswer(await bench.call(TOKEN, { method: 'POST', headers, body })))
    },
    [401, 'invalid_client'],
  ],
  [
    'a secret of a public client',
    async ({ bench, open }) => {
      const code = await bench.code(open.client)
      return statusAndError(await bench.post(TOKEN, { ...codeGrant(open, code), client_secret: 'any' }))
    },
    [401, 'invalid_client'],
  ],
  [
    'client credentials in both the header and the body',
    async ({ bench, own }) => {
      const code = await bench.code(own.client)
      return statusAndError(await bench.post(TOKEN, codeGrant(own, code), { authorization: basic(own) }))
    },
    [400, 'invalid_request'],
  ],
  [
    'the password grant',
    ({ bench, own }) => bench.post(TOKEN, { ...client(own), grant_type: 'password' }).then(statusAndError),
    [400, 'unsupported_grant_type'],
  ],
  [
    'a grant that the client is not allowed',
    ({ bench, own }) => bench.post(TOKEN, { ...client(own), grant_type: 'client_credentials' }).then(statusAndError),
    [400, 'unauthorized_client'],
  ],
  ['a token request by GET', ({ bench }) => bench.call(TOKEN).then(({ status }) => status), 405],
]

const client = ({ client: { id }, secret }: At['own']): Record<string, string> => ({
  client_id: id,
  client_secret: secret,
})
const readTokenMember = ({ json }: Answered, name: string): string => String(json[name])
const refresh = (at: At, token: string, of = at.own, more: Record<string, string> = {}): Promise<Answered> =>
  at.bench.post(TOKEN, { ...client(of), grant_type: 'refresh_token', refresh_token: token, ...more })
const infoStatus = async ({ bench }: At, token: string): Promise<unknown> => {
  const response = await bench.call(USERINFO, { headers: { authorization: `Bearer ${token}` } })
  return [response.status, response.headers.get('www-authenticate')?.includes('error="invalid_token"') ?? false]
}

/** Attacks on tokens. */
export const TOKENS: readonly Row[] = [
  [
    'a refresh token is used twice: the whole family ends',
    async (at) => {
      const first = await at.bench.tokens(at.own)
      const second = await refresh(at, readTokenMember(first, 'refresh_token'))
      const stolen = await refresh(at, readTokenMember(first, 'refresh_token'))
      const third = await refresh(at, readTokenMember(second, 'refresh_token'))
      return [
        second.status,
        statusAndError(stolen),
        statusAndError(third),
        await infoStatus(at, readTokenMember(second, 'access_token')),
      ]
    },
    [200, [400, 'invalid_grant'], [400, 'invalid_grant'], [401, true]],
  ],
  [
    'a refresh token of another client',
    async (at) =>
      statusAndError(await refresh(at, readTokenMember(await at.bench.tokens(at.own), 'refresh_token'), at.other)),
    [400, 'invalid_grant'],
  ],
  [
    'a refresh with more scopes',
    async (at) =>
      statusAndError(
        await refresh(at, readTokenMember(await at.bench.tokens(at.own), 'refresh_token'), at.own, {
          scope: 'openid email',
        }),
      ),
    [400, 'invalid_scope'],
  ],
  [
    'a token of the wrong type (substitution)',
    async (at) => {
      const given = await at.bench.tokens(at.own)
      const [access, id, again] = ['access_token', 'id_token', 'refresh_token'].map((name) =>
        readTokenMember(given, name),
      )
      return [
        await infoStatus(at, id ?? ''),
        await infoStatus(at, again ?? ''),
        statusAndError(await refresh(at, access ?? '')),
      ]
    },
    [
      [401, true],
      [401, true],
      [400, 'invalid_grant'],
    ],
  ],
  [
    'a token for a resource does not reveal its user (audience)',
    async (at) => {
      const code = await at.bench.code(at.own.client, { resource: RESOURCE })
      return infoStatus(at, readTokenMember(await at.bench.post(TOKEN, codeGrant(at.own, code)), 'access_token'))
    },
    [401, true],
  ],
  [
    'a code for one resource gives no token for another',
    changedGrant(() => ({ resource: 'https://evil.example/' }), { resource: RESOURCE }),
    [400, 'invalid_target'],
  ],
  [
    'a token in the URL',
    async (at) =>
      (
        await at.bench.call(
          `${USERINFO}?access_token=${readTokenMember(await at.bench.tokens(at.own), 'access_token')}`,
        )
      ).status,
    400,
  ],
  [
    'public clients cannot introspect a token of another client, and no client can revoke it',
    async (at) => {
      const token = readTokenMember(await at.bench.tokens(at.own), 'access_token')
      const shown = await at.bench.post('/identity/o/api/introspect', { client_id: at.open.client.id, token })
      const ended = await at.bench.post('/identity/o/api/revoke', { ...client(at.other), token })
      return [shown.json, ended.status, await infoStatus(at, token)]
    },
    [{ active: false }, 200, [200, false]],
  ],
  [
    'scripts of a foreign origin cannot read tokens, those of a registered one can',
    async (at) => {
      const origins = ['https://evil.example', 'https://client.example', 'null']
      const answers = origins.map((origin) =>
        at.bench.post(TOKEN, { ...client(at.own), grant_type: 'refresh_token' }, { origin }),
      )
      return (await Promise.all(answers)).map(({ headers }) => headers.get('access-control-allow-origin'))
    },
    [null, 'https://client.example', null],
  ],
  [
    'many correct requests of a server at once are not limited',
    async ({ bench, own }) => {
      const asked = { ...client(own), token: 'x' }
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => bench.post('/identity/o/api/introspect', asked)),
      )
      return answers.filter(({ status }) => status !== 200).map(({ status }) => status)
    },
    [],
  ],
  [
    'wrong secrets are counted',
    async ({ bench, other }) => {
      const tries: Answered[] = []
      const wrong = { client_id: other.client.id, client_secret: 'wrong', token: 'x' }
      for (let count = 0; count < 21; count++) tries.push(await bench.post('/identity/o/api/introspect', wrong))
      const last = tries.at(-1)
      bench.world.clock.advance(60_000)
      const many = Array.from({ length: 60 }, () => bench.post('/identity/o/api/introspect', wrong))
      const checked = (await Promise.all(many)).filter(({ status }) => status === 401)
      return [tries[0]?.status, last?.status, Number(last?.headers.get('retry-after')) > 0, checked.length < 25]
    },
    [401, 429, true, true],
  ],
]
