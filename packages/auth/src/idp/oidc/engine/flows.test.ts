import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oidcBench, type OidcBench } from './testing-bench.ts'

describe.each(testDatabases)('the flows of our OpenID Connect provider on %s', (_name, open) => {
  let bench: OidcBench
  beforeAll(async () => {
    bench = await oidcBench({ open })
  })
  afterAll(() => bench.close())

  it('gives tokens for a code', async () => {
    const own = await bench.client()
    const { status } = await bench.tokens(own)
    expect(status).toBe(200)
  })
})
