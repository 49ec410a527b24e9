import type { AssistantChange } from './assistant-desk.ts'
import { applyAssistantChange, mergeAssistant, toAssistantView, type StoredAssistant } from './assistant-settings.ts'
import { type AssistantSettingsInput, Secret } from '@gatepost/channels'
import { describe, expect, it } from 'vitest'

const KEY = 'made-up-key-1234'
const HERE = { kind: 'http', url: 'https://here.example.org/reply?token=hidden' } as const
const KEPT: StoredAssistant = { ...HERE, apiKey: KEY, apiKeyOrigin: 'https://here.example.org' }

/** The key that would be sent after a change. */
const keyAfter = (env: AssistantSettingsInput, stored: StoredAssistant, change: AssistantChange): unknown => {
  const { apiKey } = mergeAssistant(env, applyAssistantChange(env, stored, change))
  return apiKey instanceof Secret ? apiKey.reveal() : apiKey
}
const catchCode = (change: () => unknown): unknown => {
  try {
    return change()
  } catch (error) {
    return error instanceof Error && 'code' in error && 'details' in error ? [error.code, error.details] : error
  }
}

describe('a key', () => {
  const openai = { kind: 'openai', base_url: 'https://here.example.org/v1', model: 'm' } as const
  it.each<readonly [string, AssistantChange, unknown]>([
    ['stays when something else is changed', { system_prompt: 'x' }, KEY],
    ['stays on its host', { url: 'https://here.example.org/other' }, KEY],
    ['stays on its host with another kind', openai, KEY],
    ['does not go to another host', { url: 'https://there.example.org/reply' }, undefined],
    ['does not go to another port', { url: 'https://here.example.org:8443/reply' }, undefined],
    ['does not go unsealed', { url: 'http://here.example.org/reply' }, undefined],
    ['does not go to another host with another kind', { ...openai, base_url: 'https://there.example.org' }, undefined],
    ['goes where it is given for', { url: 'https://there.example.org/', api_key: 'other-key' }, 'other-key'],
    ['can be taken away', { api_key: null }, undefined],
    ['can be emptied', { api_key: '' }, undefined],
    ['is none when it is blank', { api_key: ' ' }, undefined],
    ['does not count while the service echoes', { kind: 'echo' }, undefined],
    ['stays with the address as it is shown', { url: 'https://here.example.org/reply?****' }, KEY],
  ])('%s', (_what, change, key) => {
    expect(keyAfter({}, KEPT, change)).toBe(key)
  })

  it('is there again when its host is', () => {
    const echoing = applyAssistantChange({}, KEPT, { kind: 'echo' })
    expect(keyAfter({}, echoing, { kind: 'http' })).toBe(KEY)
    const elsewhere = applyAssistantChange({}, KEPT, { url: 'https://there.example.org/' })
    expect(JSON.stringify(elsewhere)).not.toContain(KEY)
    expect(keyAfter({}, elsewhere, { url: KEPT.url ?? '' })).toBeUndefined()
  })

  it('of the environment goes to the endpoint of the environment alone', () => {
    const apiKey = new Secret('key-of-the-environment')
    const elsewhere = { kind: 'http', url: 'https://there.example.org/' } as const
    expect(keyAfter({ apiKey }, {}, elsewhere)).toBeUndefined()
    expect(keyAfter({ apiKey, baseUrl: 'https://here.example.org' }, {}, elsewhere)).toBeUndefined()
    expect(keyAfter({ apiKey }, {}, { ...elsewhere, api_key: 'own-key' })).toBe('own-key')
    const env = { apiKey, url: 'https://here.example.org/' }
    expect(keyAfter(env, {}, { kind: 'http' })).toBe('key-of-the-environment')
    expect(catchCode(() => keyAfter(env, {}, { kind: 'http', api_key: 'own-key' }))).toEqual([
      'set_by_environment',
      { field: 'api_key' },
    ])
    const moved = { url: 'https://there.example.org/', kind: 'http' }
    expect(mergeAssistant(moved, KEPT)).not.toHaveProperty('apiKey')
  })
})

describe('a change', () => {
  it.each<readonly [AssistantChange, string]>([
    [{ kind: 'openai' }, 'base_url'],
    [{ kind: 'openai', base_url: 'https://a.example.org' }, 'model'],
    [{ kind: 'http' }, 'url'],
    [{ kind: 'http', url: 'file:///etc/passwd' }, 'url'],
    [{ kind: 'http', url: 'https://user:word@a.example.org/' }, 'url'],
    [{ base_url: 'nonsense' }, 'base_url'],
    [{ url: 'javascript:alert(1)' }, 'url'],
    [{ base_url: 'https://a.example.org/?key=x' }, 'base_url'],
    [{ kind: 'http', url: 'https://a.example.org/', api_key: 'with space' }, 'api_key'],
    [{ api_key: 'of-nobody' }, 'api_key'],
  ])('%j cannot work: %s', (change, field) => {
    expect(catchCode(() => applyAssistantChange({}, {}, change))).toEqual(['assistant_invalid', { field }])
  })

  it('does not take the asterisks of a hidden query for a query', () => {
    const change = { url: 'https://here.example.org/other?****' }
    expect(catchCode(() => applyAssistantChange({}, KEPT, change))).toEqual(['assistant_invalid', { field: 'url' }])
  })

  it.each<readonly [keyof AssistantChange, AssistantSettingsInput]>([
    ['kind', { kind: 'command', command: '/opt/bot/run --quiet' }],
    ['base_url', { baseUrl: 'https://a.example.org' }],
    ['model', { model: 'large' }],
    ['system_prompt', { systemPrompt: 'Be kind.' }],
    ['url', { url: 'https://a.example.org' }],
  ])('of %s is refused when the environment says it', (field, env) => {
    const change = { [field]: field === 'kind' ? 'echo' : 'https://b.example.org/' }
    expect(catchCode(() => applyAssistantChange(env, {}, change))).toEqual(['set_by_environment', { field }])
    expect(catchCode(() => applyAssistantChange(env, {}, { [field]: null }))).toEqual(['set_by_environment', { field }])
  })

  it('to null or nothing leaves the default', () => {
    const all = { kind: 'openai', base_url: 'https://a.example.org', model: 'm', system_prompt: 'p' } as const
    const stored = applyAssistantChange({}, {}, all)
    expect(stored).toMatchObject({ kind: 'openai', baseUrl: 'https://a.example.org', systemPrompt: 'p' })
    expect(applyAssistantChange({}, stored, { system_prompt: '' })).toMatchObject({ systemPrompt: '' })
    expect(applyAssistantChange({}, stored, { kind: null, base_url: '', model: null, system_prompt: null })).toEqual({})
  })
})

it('shows no secret', () => {
  const view = toAssistantView({ command: '/opt/bot/run --token made-up-token' }, KEPT, 5)
  expect(view).toMatchObject({
    kind: 'http',
    url: 'https://here.example.org/reply?****',
    program: null,
    apiKeyHint: '****1234',
    fromEnvironment: ['command'],
    changedAtMs: 5,
  })
  const env = { kind: 'command', command: '/opt/bot/run --token made-up-token' }
  const shown = toAssistantView(env, KEPT, null)
  expect(shown).toMatchObject({
    kind: 'command',
    program: 'run',
    apiKeyHint: null,
    fromEnvironment: ['kind', 'command'],
  })
  expect(JSON.stringify([view, shown])).not.toMatch(/made-up|hidden|opt/)
})
