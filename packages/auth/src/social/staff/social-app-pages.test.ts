import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from '../../testing/effects/effect.ts'
import { type SocialWorld, socialWorld } from '../../testing/social-world.ts'
import type { Visitor } from '../../testing/visitor.ts'

const LIST = '/accounts/admin/social-apps/'
const SECRET = 'a made-up client secret'

describe.each(testDatabases)('apps at providers on %s', (_name, open) => {
  let world: SocialWorld
  let staff: Visitor
  beforeAll(async () => {
    world = await socialWorld({}, open)
    await world.addUser({ username: 'ada', email: 'ada@example.org', password: PASSWORD, isStaff: true })
    await world.addUser({ username: 'bo', email: 'bo@example.org', password: PASSWORD })
    staff = world.visitor()
    await staff.login('ada', PASSWORD)
  })
  afterAll(() => world.close())

  const shown = (html: string): string => /id="callback_url"[^>]*>([^<]*)</.exec(html)?.[1] ?? ''

  it('are for recently authenticated staff only', async () => {
    expect((await world.visitor().get(LIST)).location).toBe(`/accounts/login/?next=${LIST}`)
    const bo = world.visitor()
    await bo.login('bo', PASSWORD)
    for (const path of ['', 'add/', 'add/?provider=github', '1/', '1/remove/']) {
      expect([path, (await bo.get(LIST + path)).status]).toEqual([path, 403])
      if (path !== '') expect([path, (await bo.post(LIST + path)).status]).toEqual([path, 403])
    }
    const ada = world.visitor()
    await ada.login('ada', PASSWORD)
    world.clock.advance(3_600_000)
    expect((await ada.get(LIST)).location).toMatch(/^\/accounts\/reauthenticate\//)
    await staff.post('/accounts/reauthenticate/', { password: PASSWORD })
    expect((await staff.get('/accounts/email/')).html).toContain(`href="${LIST}"`)
    expect((await bo.get('/accounts/email/')).html).not.toContain(LIST)
  })

  it('are added, with the callback URL to copy, changed, and removed; secrets are never shown', async () => {
    expect((await staff.get(LIST)).text).toContain('Set in configuration')
    expect((await staff.get(`${LIST}add/`)).html).toContain('<option value="gitlab">GitLab</option>')
    const chosen = await staff.post(`${LIST}add/`, { provider: 'gitlab' })
    expect(chosen.location).toBe(`${LIST}add/?provider=gitlab`)
    const form = await staff.get(chosen.location ?? '')
    expect(shown(form.html)).toBe('http://auth.test/accounts/gitlab/login/callback/')
    const wrong = await staff.post(chosen.location ?? '', { secret: SECRET, settings: '[]' })
    expect([wrong.status, wrong.html.includes('aria-invalid="true"'), wrong.html.includes(SECRET)]).toEqual([
      200,
      true,
      false,
    ])
    const given = {
      client_id: 'app-1',
      secret: SECRET,
      name: 'Our GitLab',
      settings: '{"gitlab_url":"https://git.example.org"}',
    }
    const added = await staff.post(chosen.location ?? '', given)
    const page = await staff.follow(added)
    expect(page.text).toContain('Our GitLab has been saved.')
    expect(page.html).toContain('value="app-1"')
    expect(page.html).not.toContain(SECRET)
    expect((await world.visitor().get('/accounts/login/')).html).toContain('data-provider="gitlab"')

    const path = added.location ?? ''
    const changed = { client_id: 'app-2', secret: '', name: 'GitLab', settings: '{"certificate_key":"a made-up key"}' }
    expect((await staff.post(path, changed)).location).toBe(path)
    const after = await staff.get(path)
    expect(after.html).not.toContain('a made-up key')
    expect(after.html).toContain('&quot;certificate_key&quot;: &quot;****&quot;')
    const [app] = await world.auth.module('social').apps.list(world.auth.kernel.database.db, { provider: 'gitlab' })
    expect(app).toMatchObject({ clientId: 'app-2', secret: SECRET, settings: { certificate_key: 'a made-up key' } })

    expect((await staff.get(`${path}remove/`)).text).toContain('GitLab')
    expect((await staff.follow(await staff.post(`${path}remove/`))).text).toContain('GitLab has been removed.')
    expect((await staff.get(path)).status).toBe(404)
    expect((await staff.get(`${LIST}none/`)).status).toBe(404)
  })

  it('show the OpenID Connect and SAML callback URLs once they have a name', async () => {
    const add = `${LIST}add/?provider=openid_connect`
    expect(shown((await staff.get(add)).html)).toBe('')
    const taken = await staff.post(add, {
      client_id: 'x',
      provider_id: 'acme',
      settings: '{"server_url":"https://a.example"}',
    })
    expect([taken.status, taken.html.includes('aria-invalid="true"')]).toEqual([200, true])
    const added = await staff.post(add, {
      client_id: 'x',
      provider_id: 'other',
      settings: '{"server_url":"https://a.example"}',
    })
    expect(shown((await staff.follow(added)).html)).toBe('http://auth.test/accounts/oidc/other/login/callback/')
    const saml = await staff.post(`${LIST}add/?provider=saml`, {
      client_id: 'big-corp',
      name: 'Big Corp',
      settings: '{}',
    })
    expect(shown((await staff.follow(saml)).html)).toBe('http://auth.test/accounts/saml/big-corp/acs/')
  })
})
