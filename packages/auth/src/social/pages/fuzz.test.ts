import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PASSWORD } from '../../testing/effects/effect.ts'
import { type SocialWorld, socialWorld } from '../../testing/social-world.ts'

const SLUGS = 'google github twitter oidc/acme apple telegram openid dummy saml/none oidc/x steam'.split(' ')
const STEPS = ['login/', 'login/callback/', 'login/callback/finish/']
const PAGES = [
  ...SLUGS.flatMap((slug) => STEPS.map((step) => `${slug}/${step}`)),
  'openid/callback/',
  'dummy/authenticate/',
  'google/login/token/',
  'facebook/login/token/',
  'saml/acme/acs/',
  'saml/acme/sls/',
  'saml/acme/sls/finish/',
  'saml/acme/metadata/',
  '3rdparty/',
  '3rdparty/signup/',
  '3rdparty/login/error/',
  'social/signup/',
  'admin/social-apps/',
  'admin/social-apps/add/',
  'admin/social-apps/1/',
  'admin/social-apps/1/remove/',
]
const FIELDS = [
  'process',
  'next',
  'scope',
  'auth_params',
  'action',
  'code',
  'state',
  'error',
  'oauth_token',
  'openid',
].concat(
  ['oauth_verifier', 'denied', 'user', 'id_token', 'tgAuthResult', 'SAMLResponse', 'SAMLRequest', 'RelayState', 'id'],
  ['credential', 'g_csrf_token', 'access_token', 'account', 'email', 'username', 'provider', 'client_id', 'settings'],
  ['provider_id', 'secret', 'name', 'openid.mode', 'openid.return_to', '__proto__', '_redir'],
)
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    '1',
    'connect',
    'redirect',
    'google',
    'openid_connect',
    'saml',
    '//evil.example/',
    'https://evil.example/',
  ),
  fc.constantFrom('{}', '[]', '{"server_url":7}', 'a,b', '\0', 'Zm9v', 'https://127.0.0.1/', 'é'.repeat(300)),
)
const given = fc.dictionary(fc.constantFrom(...FIELDS), nasty, { maxKeys: 5 })
const visit = fc.record({
  path: fc.constantFrom(...PAGES),
  query: given,
  fields: fc.option(given),
  headers: fc.constantFrom({}, { accept: 'text/html' }, { 'x-requested-with': 'XMLHttpRequest' }),
  isStaff: fc.boolean(),
})

it('never responds with 500 or an open redirect, whatever the input', async () => {
  const world: SocialWorld = await socialWorld({ settings: { account: { rateLimits: false } } })
  await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, isStaff: true })
  const staff = world.visitor()
  await staff.login('ada', PASSWORD)
  const nobody = world.visitor()
  const seen = new Set<number>()
  const providers =
    /^https:\/\/(accounts\.google\.com|github\.com|api\.x\.com|login\.idp\.example|appleid\.apple\.com|oauth\.telegram\.org)\//
  await fc.assert(
    fc.asyncProperty(visit, async ({ path, query, fields, headers, isStaff }) => {
      const visitor = isStaff ? staff : nobody
      const target = `/accounts/${path}?${new URLSearchParams(query).toString()}`
      const page = fields === null ? await visitor.get(target, headers) : await visitor.post(target, fields, headers)
      seen.add(page.status)
      expect(page.status, `${target} ${JSON.stringify(fields)}`).toBeLessThan(500)
      const { location } = page
      if (location !== null && !providers.test(location)) expect(location).not.toMatch(/^(https?:)?\/\/|javascript:/)
    }),
    { numRuns: 300 },
  )
  expect([...seen]).toEqual(expect.arrayContaining([200, 302, 401, 404]))
  expect(world.logged.filter(({ level }) => level === 'error')).toEqual([])
  await world.close()
})
