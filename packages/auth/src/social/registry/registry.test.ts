import { expect, it } from 'vitest'
import { PROVIDER_RECORDS, loadExchange, PROVIDER_ENTRIES, providerRecord } from './registry.ts'
import { PROVIDER_FACTS } from '../providers/testing-facts.ts'

const ids = (list: readonly { readonly id: string }[]): readonly string[] => list.map(({ id }) => id).toSorted()

it('knows every provider of the documents by id, name, protocol and paths', () => {
  const known = PROVIDER_ENTRIES.map(({ id, name, protocol, loginPath, callbackPath }) => [
    id,
    name,
    protocol,
    loginPath,
    callbackPath,
  ])
  const documented = PROVIDER_FACTS.map((facts) => facts.slice(0, 5))
  expect(PROVIDER_ENTRIES).toHaveLength(123)
  expect(known).toEqual(documented)
})

it('has a matching record, its source, and an exchange for each entry', async () => {
  expect(Object.keys(PROVIDER_RECORDS).toSorted()).toEqual(ids(PROVIDER_ENTRIES))
  for (const entry of PROVIDER_ENTRIES) {
    const data = await PROVIDER_RECORDS[entry.id]?.()
    expect(data).toMatchObject({ id: entry.id, name: entry.name, protocol: entry.protocol })
    const record = await providerRecord(entry.id)
    expect(record).toMatchObject(entry)
    if (entry.id !== 'dummy') expect(record.source).toMatch(/^https:\/\/\S+$/)
    const exchange = await loadExchange(record)
    expect([entry.id, exchange.verifyToken !== undefined]).toEqual([entry.id, entry.supportsToken])
  }
})

it.each(['nowhere', 'constructor', '__proto__', ''])('knows no provider %j', async (id) => {
  await expect(providerRecord(id)).rejects.toMatchObject({ code: 'not_found' })
})
