import { describe, expect, it } from 'vitest'
import { AuthError } from '../../errors.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import { PROVIDER_ENTRIES } from '../registry/provider-entries.ts'
import { type ProviderSettings, readProviderSettings } from './provider-settings.ts'

const read = (given: JsonObject, development = true): ProviderSettings =>
  readProviderSettings(given, PROVIDER_ENTRIES, { development })
const APP = { client_id: 'id', secret: 'a-secret' }
const SERVER = { server_url: 'https://id.example.org' }

function readProblems(given: JsonObject): string {
  try {
    read(given)
    return ''
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return error.message
  }
}

describe('SOCIALACCOUNT_PROVIDERS', () => {
  it('is read with everything that a provider has of its own', () => {
    const {
      apps,
      settingsByProvider: settingsOf,
      warnings,
    } = read({
      google: { APP: { ...APP, key: 'k', settings: { hidden: true } }, SCOPE: ['email'], AUTH_PARAMS: { hd: 'x' } },
      openid_connect: {
        APPS: [
          { ...APP, provider_id: 'one', name: 'One', settings: SERVER },
          { ...APP, provider_id: 'two', client_id: 7, settings: SERVER },
        ],
        APP: { client_id: 'not looked at' },
      },
      gitlab: { GITLAB_URL: 'https://git.example.org' },
      dummy: {},
    })
    expect(apps).toMatchObject([
      { id: null, provider: 'google', clientId: 'id', secret: 'a-secret', key: 'k', settings: { hidden: true } },
      { provider: 'openid_connect', providerId: 'one', name: 'One', settings: SERVER },
      { provider: 'openid_connect', providerId: 'two', clientId: '7' },
      { provider: 'dummy', clientId: '' },
    ])
    expect(apps[0]?.providerSettings).toEqual({ SCOPE: ['email'], AUTH_PARAMS: { hd: 'x' } })
    expect(settingsOf.get('gitlab')).toEqual({ GITLAB_URL: 'https://git.example.org' })
    expect(warnings).toEqual([])
  })

  it('has the provider that believes everything in development alone', () => {
    expect(() => read({ dummy: {} }, false)).toThrow('SOCIALACCOUNT_PROVIDERS.dummy is for GATEPOST_DEVELOPMENT only')
    expect(() => read({ google: { APP } }, false)).not.toThrow()
  })

  it('is taken in its older forms, with a word to the operator', () => {
    const servers = [{ id: 'main', name: 'Main', server_url: SERVER.server_url, token_auth_method: 'x', APP }]
    const { apps, warnings } = read({
      apple: { APP: { ...APP, certificate_key: '-----BEGIN' } },
      openid_connect: { SERVERS: servers },
      github: { APP: { ...APP, secrets: 'x' } },
    })
    expect(apps).toMatchObject([
      { provider: 'apple', settings: { certificate_key: '-----BEGIN' } },
      { provider: 'openid_connect', providerId: 'main', name: 'Main', settings: { ...SERVER, token_auth_method: 'x' } },
      { provider: 'github' },
    ])
    expect(warnings).toEqual([
      'SOCIALACCOUNT_PROVIDERS.apple.APP.certificate_key: old. Write it in SOCIALACCOUNT_PROVIDERS.apple.APP.settings instead.',
      'SOCIALACCOUNT_PROVIDERS.openid_connect.SERVERS: old. Write SOCIALACCOUNT_PROVIDERS.openid_connect.APPS instead.',
      'SOCIALACCOUNT_PROVIDERS.github.APP.secrets is not known, and is left alone. Did you mean secret?',
    ])
  })

  it.each([
    ['an unknown provider', { gogle: { APP } }, '.gogle: there is no such provider; did you mean google?'],
    ['a provider in capitals', { GitHub: { APP } }, '.GitHub: there is no such provider; did you mean github?'],
    ['an app without an id', { google: { APP: { secret: 's' } } }, '.google.APP.client_id is missing.'],
    ['an app that is none', { google: { APP: 'id' } }, '.google.APP must be an object.'],
    ['apps that are no list', { google: { APPS: APP } }, '.google.APPS must be a list of objects.'],
    ['a secret that is no text', { google: { APP: { ...APP, secret: ['s'] } } }, '.google.APP.secret must be text.'],
    ['settings that are none', { google: { APPS: [{ ...APP, settings: 1 }] } }, '.google.APPS.0.settings must be an'],
    ['a scope that is none', { google: { APP, SCOPE: [1] } }, '.google.SCOPE must be a list of scopes.'],
    ['parameters that are none', { google: { APP, AUTH_PARAMS: 'x' } }, '.google.AUTH_PARAMS must be an object.'],
    [
      'a flag that is none',
      { google: { APP, OAUTH_PKCE_ENABLED: 'yes' } },
      '.OAUTH_PKCE_ENABLED must be true or false.',
    ],
    ['trust in something', { google: { APP, VERIFIED_EMAIL: 'x' } }, '.VERIFIED_EMAIL must be true, false or a list'],
    ['small letters', { google: { APP, scope: ['x'] } }, '.google.scope: write SCOPE.'],
    [
      'a setting of an app',
      { google: { APP: { ...APP, settings: { hidden: 'no' } } } },
      '.google.APP.settings.hidden must be true or false.',
    ],
    [
      'an unnamed server',
      { openid_connect: { APP: { ...APP, settings: SERVER } } },
      '.APP.provider_id must be letters',
    ],
    [
      'no server',
      { openid_connect: { APP: { ...APP, provider_id: 'x' } } },
      '.settings.server_url must be an address.',
    ],
    ['an organisation', { saml: { APP: { client_id: 'a/b' } } }, '.saml.APP.client_id must be letters, digits'],
    [
      'organisations of which one could sign in people of the other',
      { saml: { APPS: [APP, { ...APP, client_id: 'other' }] } },
      '.saml: each of several apps needs a provider_id',
    ],
    ['a button of OpenID that leads nowhere', { openid: { SERVERS: [{ name: 'Example' }] } }, '.openid.SERVERS: each'],
    ['buttons of OpenID that are none', { openid: { SERVERS: 'x' } }, '.openid.SERVERS must be a list.'],
    ['servers of others', { google: { SERVERS: [] } }, '.google.SERVERS is not for it.'],
    [
      'the name of another provider',
      { google: { APP }, openid_connect: { APP: { ...APP, provider_id: 'google', settings: SERVER } } },
      '.openid_connect: the provider_id google is that of another provider.',
    ],
    [
      'one name for two',
      {
        openid_connect: {
          APPS: [
            { ...APP, provider_id: 'x', settings: SERVER },
            { ...APP, provider_id: 'x', settings: SERVER },
          ],
        },
      },
      '.openid_connect: several apps have the provider_id x.',
    ],
  ])('is refused with %s', (_why, given, problem) => {
    const message = readProblems(given)
    expect(message).toMatch(/^SOCIALACCOUNT_PROVIDERS\./)
    expect(message).toContain(problem)
    expect(message).not.toContain('a-secret')
  })
})
