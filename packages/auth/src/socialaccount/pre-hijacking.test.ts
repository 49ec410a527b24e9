import { testDatabases } from '@gatepost/sql/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { mailbox, type SocialBench, socialBench, type SomebodyThere } from './testing-bench.ts'

let bench: SocialBench
afterEach(() => bench.world.close())

const OWNER: SomebodyThere = { uid: 'owner', username: 'owner', emails: mailbox('owner@example.org') }

describe.each(testDatabases)('an account made with the address of somebody else on %s', (_name, open) => {
  it('is not entered by its owner while others have a way in that does not end', async () => {
    bench = await socialBench({ socialaccount: { emailAuthentication: true } }, { open })
    const { core, world } = bench
    const squatter = bench.browser()
    await squatter.visit('github', { uid: '1', username: 'eve', emails: mailbox('owner@example.org', false) })
    expect(await bench.browser().visit('google', OWNER)).toMatchObject({ kind: 'signup' })
    expect(await squatter.whoami()).toBe('eve')

    const ada = await world.addUser({ username: 'ada', email: 'ada@example.org', password: 'a made-up pass phrase' })
    const { db } = core.database
    await core.emails.insert(db, { userId: ada.id, email: 'ada@exmaple.org', verified: false, primary: false })
    const stranger = { uid: 'stranger', emails: mailbox('ada@exmaple.org') }
    expect(await bench.browser().visit('google', stranger)).toMatchObject({ kind: 'signup' })
    expect(await core.users.byId(db, ada.id)).toMatchObject({ hasUsablePassword: true })
    const other = bench.browser()
    await other.visit('google', { uid: 'ada', emails: mailbox('ada@example.org') })
    expect(await other.whoami()).toBe('ada')
  })
})
