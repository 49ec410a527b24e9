import { testDatabases } from '@gatepost/sql/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'
import { addClient, authorizePath, followRedirects, PASSWORD, post, SIGNING_KEY } from './testing-relying-party.ts'

const FIELDS = ['action', 'code', 'client', 'email', 'scope_openid', 'name', 'redirect_uris', 'cors_origins'].concat(
  ['is_public', 'id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', '__proto__', 'constructor'],
  ['allow_uri_wildcards', 'grant_service', 'post_logout_redirect_uris', 'csrfmiddlewaretoken'],
)
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'on',
    'grant',
    'confirm',
    'deny',
    'stay',
    'logout',
    'ada@example.org',
  ),
  fc.constantFrom(
    'javascript:alert(1)',
    'https://*',
    'https://[',
    'https://a.example/\nhttps://b.example/',
    '//evil.test',
  ),
  fc.constantFrom(
    'a.b.c',
    'eyJhbGciOiJub25lIn0.e30.',
    '{{ 7 | times: 7 }}',
    '<script>alert(1)</script>',
    'a'.repeat(5_000),
  ),
)
/** Names in braces are replaced with real values. */
const path = fc.oneof(
  fc.constantFrom('{interaction}', '/identity/o/device', '/identity/o/logout', '/accounts/applications/'),
  fc.constantFrom('/accounts/admin/clients/add/', '{client}', '{client}secret/', '/accounts/admin/clients/x/remove/'),
  nasty.map((text) => `/identity/o/interaction/${encodeURIComponent(text.toWellFormed())}/`),
  nasty.map((text) => `/accounts/admin/clients/${encodeURIComponent(text.toWellFormed())}/`),
)
const visit = fc.record({
  path,
  query: fc.dictionary(fc.constantFrom(...FIELDS), nasty, { maxKeys: 3 }),
  fields: fc.option(fc.dictionary(fc.constantFrom(...FIELDS), nasty, { maxKeys: 5 })),
})

describe.each(testDatabases)('whatever is sent to the pages of our provider on %s', (_name, open) => {
  it('nothing is answered with a 500, and no markup of strangers is shown', async () => {
    const idpOidc = { enabled: true, privateKey: SIGNING_KEY, rateLimits: false } as const
    const world = await authWorld({ settings: { idpOidc } }, open)
    try {
      await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, isStaff: true })
      const client = await addClient(world)
      const ada = world.visitor()
      await ada.login('ada', PASSWORD)
      await post(world, '/identity/o/api/device/code', { client_id: client.id, scope: 'openid' })
      const interaction = (await followRedirects(ada, await ada.get(authorizePath(client)))).at
      const seen = new Set<number>()
      const run = async (one: typeof visit extends fc.Arbitrary<infer One> ? One : never): Promise<void> => {
        if ((await ada.whoami()) === null) await ada.login('ada', PASSWORD)
        const at = one.path
          .replace('{interaction}', interaction)
          .replace('{client}', `/accounts/admin/clients/${client.id}/`)
        const to = `${at}?${new URLSearchParams(one.query).toString()}`
        const answer = await (one.fields === null ? ada.get(to) : ada.post(to, one.fields))
        seen.add(answer.status)
        expect([one, answer.status]).toEqual([one, expect.toSatisfy((status: number) => status < 500)])
        expect(answer.html).not.toContain('<script>alert')
        expect(answer.location ?? '/').not.toMatch(/^(https?:)?\/\/(?!auth\.test|notes\.example\.com)|javascript:/)
      }
      await fc.assert(fc.asyncProperty(visit, run), { numRuns: 200 })
      expect([...seen]).toEqual(expect.arrayContaining([200, 302, 400, 403, 404]))
      expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
    } finally {
      await world.close()
    }
  })
})
