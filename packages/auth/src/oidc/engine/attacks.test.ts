import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { At } from './testing/attack.ts'
import { BROWSERS, REDIRECTS, REQUESTS } from './testing/authorization-attacks.ts'
import { CODES, TOKENS } from './testing/token-attacks.ts'
import { oidcBench } from './testing-bench.ts'

describe.each(testDatabases)('attacks of RFC 9700 on %s', (_name, open) => {
  let at: At
  beforeAll(async () => {
    const bench = await oidcBench({ open })
    at = {
      bench,
      own: await bench.client({ corsOrigins: ['https://client.example'] }),
      open: await bench.client({ type: 'public' }),
      other: await bench.client(),
    }
  })
  afterAll(() => at.bench.close())

  it.each([...REDIRECTS, ...REQUESTS, ...CODES, ...TOKENS, ...BROWSERS])('%s', async (_why, act, expected) => {
    at.bench.world.clock.advance(60_000)
    expect(await act(at)).toEqual(expected)
    expect(at.bench.world.logged).toEqual([])
  })
})
