import { expect, it } from 'vitest'
import { defineOperations } from './declaration.ts'
import { createResource, implement } from './operation.ts'

const BADGE = { path: 'auth/badge', access: 'auth', tag: 'Badges' } as const
const { getBadge, renameBadge, listBadges } = defineOperations({
  getBadge: { ...BADGE, method: 'GET', summary: 'Get the badge', answers: { 200: 'Status' } },
  renameBadge: {
    ...BADGE,
    method: 'PUT',
    summary: 'Rename the badge',
    input: [{ name: 'name', kind: 'text', required: true }],
    answers: { 200: 'Status' },
  },
  listBadges: { ...BADGE, path: 'auth/badges', method: 'GET', summary: 'List the badges', answers: { 200: 'Status' } },
})
const get = implement(getBadge, async () => ({ kind: 'data' }))

it('gathers the operations of a path by method', () => {
  const rename = implement(renameBadge, async (_visit, { name }) => ({ kind: 'data', data: name.length }))
  const resource = createResource([get, rename], { limit: { action: 'rename', per: 'user' } })
  expect(resource).toMatchObject({ ...BADGE, limit: { action: 'rename', per: 'user' } })
  expect(Object.entries(resource.operations).map(([method, { row }]) => [method, row.name])).toEqual([
    ['GET', 'getBadge'],
    ['PUT', 'renameBadge'],
  ])
})

it('refuses operations of different paths, and none', () => {
  const list = implement(listBadges, async () => ({ kind: 'data' }))
  expect(() => createResource([get, list])).toThrow('listBadges and getBadge differ in path')
  expect(() => createResource([])).toThrow(TypeError)
})
