import { describe, expect, it } from 'vitest'
import { expectFailure } from './testing-handshake.ts'
import { signIn } from './testing-script.ts'

const token = '{"access_token": "t"}'

describe('profiles', () => {
  it('keep ids that no number can hold', async () => {
    const profile = '{"id": 9007199254740993, "login": "ida"}'
    const { identity } = await signIn('github', { access_token: token, '/user': profile, emails: '[]' })
    expect(identity.uid).toBe('9007199254740993')
    expect(identity.extraData['id']).toBe('9007199254740993')
  })

  it.each([
    '{}',
    '{"id": null}',
    '{"id": ""}',
    '{"id": " "}',
    '{"id": {"a": 1}}',
    '{"id": "a\\u0000b"}',
    '{"id": "a\\ud800"}',
    '[]',
    'null',
    '"7"',
  ])('without an id are refused: %s', async (profile) => {
    await expectFailure(signIn('github', { access_token: token, '/user': profile, emails: '[]' }))
  })

  it.each([
    ['reddit', {}, { id: 't2_abc', name: 'ida' }, 'id', 'ida', 't2_abc'],
    ['bitbucket_oauth2', {}, { uuid: '{a-uuid}', username: 'ida' }, 'uuid', 'ida', '{a-uuid}'],
    [
      'tumblr_oauth2',
      {},
      { response: { user: { name: 'ida', blogs: [{ uuid: 't:7' }] } } },
      'blogs[0].uuid',
      'ida',
      't:7',
    ],
    ['pinterest', { API_VERSION: 'v5' }, { id: '7', username: 'ida' }, 'id', 'ida', '7'],
    ['exist', {}, { id: 7, username: 'ida' }, 'id', 'ida', '7'],
    ['agave', {}, { result: { username: 'ida', create_time: '20250117Z' } }, 'create_time', 'ida', '20250117Z'],
  ])(
    'of %s can have another id, as configured by the app',
    async (provider, providerSettings, profile, uid_field, uid, other) => {
      // Whatever is asked besides the token is the profile.
      const replies = { token, '': () => Response.json(profile) }
      expect((await signIn(provider, replies, { providerSettings })).identity.uid).toBe(uid)
      expect((await signIn(provider, replies, { providerSettings, settings: { uid_field } })).identity.uid).toBe(other)
    },
  )

  it('of Battle.net without an id are rejected, in China too', async () => {
    const replies = { '/token': token, userinfo: '{"code": 403, "type": "Forbidden"}' }
    await expectFailure(signIn('battlenet', replies))
    await expectFailure(signIn('battlenet', replies, { providerSettings: { REGION: 'cn' } }))
  })
})
