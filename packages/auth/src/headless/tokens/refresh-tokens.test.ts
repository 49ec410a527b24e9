import { describe, expect, it } from 'vitest'
import { createSigner } from '../../kernel/crypto/crypto.ts'
import { findLiveSuccessor, deriveSuccessorId } from './jwt-strategy.ts'

const [OLD, NEW] = ['a made-up key that was first, long enough', 'a made-up key that came later, long enough']

describe('the successor of a refresh token', () => {
  it('is one id, of the form of random ones, that differs by token and by secret', () => {
    const ids = [
      deriveSuccessorId(createSigner([OLD]), 'one'),
      deriveSuccessorId(createSigner([OLD]), 'two'),
      deriveSuccessorId(createSigner([NEW]), 'one'),
    ]
    expect(new Set(ids).size).toBe(3)
    expect(deriveSuccessorId(createSigner([OLD]), 'one')).toBe(ids[0])
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('is found among the live ones, also when the secret key has changed since', () => {
    const live = new Map([
      ['another', 1],
      [deriveSuccessorId(createSigner([OLD]), 'one'), 2],
    ])
    expect(findLiveSuccessor(createSigner([NEW, OLD]), 'one', live)).toEqual([
      deriveSuccessorId(createSigner([OLD]), 'one'),
      2,
    ])
    expect(findLiveSuccessor(createSigner([NEW]), 'one', live)).toBeNull()
    expect(findLiveSuccessor(createSigner([OLD]), 'two', live)).toBeNull()
  })
})
