import { expect, it } from 'vitest'
import { collectChanges, type Draft, createDraft, isChanged, losesKey, findProblems } from './draft.ts'
import type { Assistant } from '../../api/gateway-api.ts'

const MODEL: Assistant = {
  kind: 'openai',
  base_url: 'https://model.example/v1',
  model: 'small',
  system_prompt: 'Be brief.',
  url: null,
  command: null,
  has_api_key: true,
  api_key_hint: '****abcd',
  from_environment: [],
  changed_at: 1,
}
const given = (change: Partial<Draft>): Draft => ({ ...createDraft(MODEL), ...change })

it('sends changed settings only', () => {
  expect(isChanged(MODEL, createDraft(MODEL))).toBe(false)
  expect(collectChanges(MODEL, given({ model: ' large ', system_prompt: '' }))).toEqual({
    model: 'large',
    system_prompt: '',
  })
  expect(collectChanges(MODEL, given({ kind: 'echo', model: 'large', key: { does: 'go' } }))).toEqual({ kind: 'echo' })
  expect(collectChanges(MODEL, given({ kind: 'http', url: 'http://127.0.0.1/', model: 'large' }))).toEqual({
    kind: 'http',
    url: 'http://127.0.0.1/',
  })
  expect(collectChanges(MODEL, given({ model: '', key: { does: 'replace', text: ' made-up ' } }))).toEqual({
    model: null,
    api_key: 'made-up',
  })
  expect(collectChanges(MODEL, given({ key: { does: 'go' } }))).toEqual({ api_key: null })
  expect(collectChanges({ ...MODEL, from_environment: ['model'] }, given({ model: 'large' }))).toEqual({})
  expect(collectChanges({ ...MODEL, kind: 'command' }, given({ kind: 'command' }))).toEqual({})
})

it('finds problems before the service does', () => {
  const problems: readonly [change: Partial<Draft>, found: object][] = [
    [{}, {}],
    [
      { base_url: '', model: '' },
      { base_url: 'missing', model: 'missing' },
    ],
    [{ kind: 'echo', base_url: '' }, {}],
    [{ base_url: 'model.example' }, { base_url: 'no_url' }],
    [{ base_url: 'ftp://model.example' }, { base_url: 'no_url' }],
    [{ base_url: 'https://me:you@model.example' }, { base_url: 'has_user' }],
    [{ base_url: 'https://model.example?key=1' }, { base_url: 'has_query' }],
    [{ kind: 'http', url: 'https://model.example?key=1' }, {}],
    [{ key: { does: 'replace', text: '' } }, { api_key: 'no_key' }],
    [{ key: { does: 'replace', text: 'two words' } }, { api_key: 'no_key' }],
  ]
  expect(problems.map(([change]) => findProblems(given(change)))).toEqual(problems.map(([, found]) => found))
})

it('knows that a key is not sent to another host', () => {
  expect(losesKey(MODEL, given({ base_url: 'https://model.example/v2' }))).toBe(false)
  expect(losesKey(MODEL, given({ base_url: 'https://' }))).toBe(false)
  expect(losesKey(MODEL, given({ base_url: 'https://other.example/v1' }))).toBe(true)
  const again = { base_url: 'https://other.example/v1', key: { does: 'replace', text: 'k' } } as const
  expect(losesKey(MODEL, given(again))).toBe(false)
})
