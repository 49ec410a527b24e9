import { expect, it } from 'vitest'
import { type AudienceOptions, isForResource, metadataUrl, resourceMetadata } from './token-guards.ts'

const HERE = 'https://api.example.org'
const OWN = { resource: `${HERE}/tools` }

const cases: readonly (readonly [
  why: string,
  audience: string | null,
  asked: string,
  options: AudienceOptions,
  isFor: boolean,
])[] = [
  ['no resource', null, '/tools', OWN, true],
  ['no resource where one is needed', null, '/tools', { ...OWN, audienceRequired: true }, false],
  ['this resource', `${HERE}/tools`, '/tools/7', { ...OWN, audienceRequired: true }, true],
  ['the same one, written otherwise', 'HTTPS://API.example.org:443/tools', '/tools', OWN, true],
  ['another one', `${HERE}/notes`, '/tools', OWN, false],
  ['one above', HERE, '/tools', OWN, false],
  ['an invalid URL', 'tools', '/tools', OWN, false],
  ['all of this host', HERE, '/tools/7', {}, true],
  ['the requested URL', `${HERE}/tools`, '/tools', {}, true],
  ['a parent of the URL', `${HERE}/tools`, '/tools/7', {}, true],
  ['a URL with the same start', `${HERE}/tools`, '/toolshed', {}, false],
  ['another host', 'https://other.example.org/tools', '/tools', {}, false],
  ['another scheme', 'http://api.example.org/tools', '/tools', {}, false],
]

it.each(cases)('checks a token for %s', (_why, audience, asked, options, isFor) => {
  expect(isForResource(audience, new URL(asked, HERE), options)).toBe(isFor)
})

it("advertises the API's metadata", async () => {
  expect(metadataUrl(`${HERE}/`)).toBe(`${HERE}/.well-known/oauth-protected-resource`)
  expect(metadataUrl(`${HERE}/tools?x=1`)).toBe(`${HERE}/.well-known/oauth-protected-resource/tools?x=1`)
  const answer = resourceMetadata('https://id.example.org', { ...OWN, name: 'Tools', scopes: ['tools:use'] })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(await answer.json()).toEqual({
    resource: `${HERE}/tools`,
    authorization_servers: ['https://id.example.org'],
    bearer_methods_supported: ['header'],
    scopes_supported: ['tools:use'],
    resource_name: 'Tools',
  })
})
