import { expect, it } from 'vitest'
import { type Declaration, defineOperations } from './declaration.ts'
import { listInputCodes, listOwnCodes, listStatusErrors } from './errors.ts'
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

it('combines the operations of a path by method', () => {
  const rename = implement(renameBadge, async (_visit, { name }) => ({ kind: 'data', data: name.length }))
  const resource = createResource([get, rename], { limit: { action: 'rename', per: 'user' } })
  expect(resource).toMatchObject({ ...BADGE, limit: { action: 'rename', per: 'user' } })
  expect(Object.entries(resource.operations).map(([method, { row }]) => [method, row.name])).toEqual([
    ['GET', 'getBadge'],
    ['PUT', 'renameBadge'],
  ])
})

it('rejects operations of different paths, and an empty list', () => {
  const list = implement(listBadges, async () => ({ kind: 'data' }))
  expect(() => createResource([get, list])).toThrow('listBadges and getBadge differ in path')
  expect(() => createResource([])).toThrow(TypeError)
})

it('takes only codes from the tables', () => {
  type Allows<Code> = Code extends NonNullable<Declaration['errors']>[number] ? true : false
  const allowed: Allows<'incorrect_code' | 'flow_wrong_stage'> = true
  const misspelled: Allows<'incorect_code'> = false
  expect([allowed, misspelled]).toEqual([true, false])
})

it('lists the codes of the fields, their kinds, and the row', () => {
  const { addBadge } = defineOperations({
    addBadge: {
      ...BADGE,
      method: 'POST',
      summary: 'Add a badge',
      input: [
        { name: 'email', kind: 'email', required: true, errors: ['email_taken'] },
        { name: 'public', kind: 'boolean', required: false },
      ],
      answers: { 200: 'Status' },
      errors: ['flow_wrong_stage', 'rate_limited', 'select_only_one'],
    },
  })
  expect(listStatusErrors(addBadge)).toEqual(['flow_wrong_stage', 'rate_limited'])
  expect(listOwnCodes(addBadge)).toEqual(['email_taken', 'select_only_one'])
  const ofFields = ['invalid', 'required', 'null_characters_not_allowed', 'max_length']
  expect(listInputCodes(addBadge, addBadge.input)).toEqual([...ofFields, 'email_taken', 'select_only_one'])
  expect(listInputCodes(getBadge, [])).toEqual([])
})
