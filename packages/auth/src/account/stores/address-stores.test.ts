import { isUniqueViolation } from '@gatepost/sql'
import { testDatabases } from '@gatepost/sql/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type StoreWorld, storesOn, storeWorld } from '../../testing/stores.ts'
import type { User } from '../../kernel/users/user.ts'
import type { EmailAddress } from '../email-address.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)

describe.each(testDatabases)('addresses on %s', (_name, open) => {
  let world: StoreWorld
  let ada: User
  let grace: User
  beforeAll(async () => {
    world = await storeWorld(open)
  })
  beforeEach(async () => {
    ada = await world.users.insert(db(), { username: 'ada', email: 'ada@example.org' }, '!', NOW_MS)
    grace = await world.users.insert(db(), { username: 'grace' }, '!', NOW_MS)
  })
  afterEach(async () => world.empty())
  afterAll(async () => world.close())
  const db = () => world.test.database.db
  const add = async (user: User, email: string, is: Partial<EmailAddress> = {}): Promise<EmailAddress> =>
    world.emails.insert(db(), { userId: user.id, email, verified: false, primary: false, ...is })

  it('stores addresses in lower case, and finds them in any case', async () => {
    const address = await add(ada, 'Ada@Example.org')
    expect(address).toMatchObject({ email: 'ada@example.org', userId: ada.id, verified: false, primary: false })
    expect(await world.emails.find(db(), ada.id, 'ADA@example.ORG')).toEqual(address)
    expect(await world.emails.find(db(), grace.id, 'ada@example.org')).toBeNull()
    expect(await world.emails.byId(db(), address.id)).toEqual(address)
    expect(await world.emails.byId(db(), address.id + 1)).toBeNull()
    const second = await add(ada, 'b@example.org')
    expect(await world.emails.ofUser(db(), ada.id)).toEqual([address, second])
    expect(await world.emails.ofUser(db(), 'nobody')).toEqual([])
  })

  const others: readonly [why: string, email: string, except: 'ada' | 'grace' | null, taken: boolean][] = [
    ['an address in a row', 'Row@example.org', 'ada', true],
    ['the own row', 'row@example.org', 'grace', false],
    ['a mirrored address', 'ADA@example.org', 'grace', true],
    ['the own mirrored address', 'ada@example.org', 'ada', false],
    ['any address, when nobody is left out', 'ada@example.org', null, true],
    ['a free address', 'free@example.org', null, false],
    ['what no database holds', 'ada@example.org\0', null, false],
  ]
  it.each(others)('knows whether %s is taken', async (_why, email, except, taken) => {
    await add(grace, 'row@example.org')
    const user = { ada, grace }
    expect(await world.emails.isTaken(db(), email, except === null ? null : user[except].id)).toBe(taken)
  })

  it('lets one user have an address once', async () => {
    await add(ada, 'a@example.org')
    const second: unknown = await add(ada, 'A@example.org').catch((error: unknown) => error)
    expect(isUniqueViolation(second)).toBe(true)
    expect(await add(grace, 'a@example.org')).toMatchObject({ userId: grace.id })
  })

  it('lets one of two users verify an address, and the transaction of the other goes on', async () => {
    const first = await add(ada, 'both@example.org')
    const second = await add(grace, 'both@example.org')
    expect(await world.emails.isVerifiedElsewhere(db(), 'Both@example.org', second.id)).toBe(false)
    expect(await world.emails.markVerified(db(), first.id)).toEqual({ ...first, verified: true })
    expect(await world.emails.markVerified(db(), first.id)).toEqual({ ...first, verified: true })
    expect(await world.emails.isVerifiedElsewhere(db(), 'Both@example.org', second.id)).toBe(true)
    await world.test.database.transaction(async (tx) => {
      expect(await world.emails.markVerified(tx, second.id)).toBeNull()
      await world.users.update(tx, grace.id, { firstName: 'Grace' })
    })
    expect(await world.users.byId(db(), grace.id)).toMatchObject({ firstName: 'Grace' })
    expect(await world.emails.markVerified(db(), 999)).toBeNull()
  })

  it('lets one of two users verify an address when both do at once', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `race${round}@example.org`
      const rows = [await add(ada, email), await add(grace, email)]
      const marked = await Promise.all(
        rows.map(async ({ id, userId }) =>
          world.test.database.transaction(async (tx) => {
            const address = await world.emails.markVerified(tx, id)
            await world.users.update(tx, userId, { lastName: `round ${round}` })
            return address
          }),
        ),
      )
      expect(marked.filter((address) => address !== null)).toHaveLength(1)
    }
    expect(await world.users.byId(db(), ada.id)).toMatchObject({ lastName: 'round 4' })
    expect(await world.users.byId(db(), grace.id)).toMatchObject({ lastName: 'round 4' })
  })

  it('leaves one primary address, also when two are made so at once', async () => {
    await add(ada, 'old@example.org', { primary: true })
    const rows = [await add(ada, 'b@example.org'), await add(ada, 'c@example.org')]
    await Promise.all(rows.map(async (row) => world.emails.makePrimary(db(), row)))
    const primary = (await world.emails.ofUser(db(), ada.id)).filter((address) => address.primary)
    expect(primary).toHaveLength(1)
    expect(rows.map(({ id }) => id)).toContain(primary[0]?.id)
  })

  it('removes an address with its confirmations', async () => {
    const { id } = await add(ada, 'a@example.org')
    await world.confirmations.insert(db(), id, 'key', NOW_MS)
    await world.emails.remove(db(), id)
    expect(await world.emails.byId(db(), id)).toBeNull()
    expect(await world.confirmations.find(db(), 'key', 0)).toBeNull()
  })

  it('finds a confirmation by its key until it is too old', async () => {
    const address = await add(ada, 'a@example.org')
    await world.confirmations.insert(db(), address.id, 'AbCd', NOW_MS)
    expect(await world.confirmations.find(db(), 'aBcD', NOW_MS - 1)).toEqual(address)
    expect(await world.confirmations.find(db(), 'abcd', NOW_MS)).toBeNull()
    expect(await world.confirmations.find(db(), 'abc\0', 0)).toBeNull()
    await world.confirmations.removeOlder(db(), NOW_MS)
    expect(await world.confirmations.find(db(), 'abcd', 0)).toEqual(address)
    await world.confirmations.removeOlder(db(), NOW_MS + 1)
    expect(await world.confirmations.find(db(), 'abcd', 0)).toBeNull()
  })

  it('stores one phone per user, verified by only one user', async () => {
    const { phones } = world
    expect(await phones.ofUser(db(), ada.id)).toBeNull()
    expect(await phones.set(db(), ada.id, '+15550100', false)).toBe(true)
    expect(await phones.set(db(), grace.id, '+15550100', false)).toBe(true)
    expect(await phones.set(db(), grace.id, '+15550100', true)).toBe(true)
    expect(await phones.owner(db(), '+15550100')).toBe(grace.id)
    await world.test.database.transaction(async (tx) => {
      expect(await phones.set(tx, ada.id, '+15550100', true)).toBe(false)
      expect(await phones.set(tx, ada.id, '+15550100', false)).toBe(false)
      expect(await phones.set(tx, ada.id, '+15550101', true)).toBe(true)
    })
    expect(await phones.ofUser(db(), ada.id)).toEqual({ phone: '+15550101', verified: true })
    expect(await phones.owner(db(), '+15550102')).toBeNull()
  })
})

describe.each(testDatabases)('addresses that need not be unique, on %s', (_name, open) => {
  it('may be verified by several users', async () => {
    const world = await storeWorld(open, { uniqueEmail: false })
    const { db } = world.test.database
    const { users, emails } = storesOn(world.test, { uniqueEmail: false })
    for (const username of ['ada', 'grace']) {
      const user = await users.insert(db, { username }, '!', NOW_MS)
      const { id } = await emails.insert(db, {
        userId: user.id,
        email: 'x@example.org',
        verified: false,
        primary: true,
      })
      expect(await emails.markVerified(db, id)).toMatchObject({ verified: true })
    }
    await world.close()
  })
})
