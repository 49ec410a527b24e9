import { testDatabases } from '@gatepost/sql/testing'
import { migrate } from '@gatepost/sql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accountById, accountOfUser, accountPage, addAccount, takeOwnerAccount } from './account-store.sql.ts'
import { addAuditRow, auditPage, removeOldAudit } from './audit/audit-store.sql.ts'
import {
  addInvitation,
  type InvitationRow,
  openInvitation,
  openInvitations,
  removeFirstInvitations,
  revokeInvitation,
  revokeInvitationsByUser,
  useInvitation,
} from './invitations/invitation-store.sql.ts'
import { gatewayMigrations, type GatewayTables } from './schema.ts'
import {
  addToken,
  countTokens,
  liveToken,
  recordTokenUse,
  removeOldTokens,
  revokeToken,
  type TokenRow,
  listTokensOfAccount,
} from './tokens/token-store.sql.ts'

const NOW = 1_800_000_000_000

describe.each(testDatabases)('what the gateway keeps on %s', (_name, open) => {
  let test: Awaited<ReturnType<typeof open<GatewayTables>>>
  beforeEach(async () => {
    test = await open<GatewayTables>({
      name: 'gateway',
      run: async (database) =>
        void (await migrate(database, { owner: 'gateway', migrations: gatewayMigrations, nowMs: NOW })),
    })
  })
  afterEach(() => test.close())

  it('removes old audit entries in small batches, and no others', async () => {
    const { db } = test.database
    const who = { actor: '-', actor_kind: 'visitor', account_id: null, target: null, ip: null, user_agent: null }
    const entry = { ...who, action: 'x', outcome: 'ok', code: null }
    const rows = Array.from({ length: 1_200 }, (_, n) => ({
      ...entry,
      id: `${n}`.padStart(8, '0'),
      at_ms: n < 1_100 ? NOW - 1 : NOW,
    }))
    for (let at = 0; at < rows.length; at += 300)
      await db
        .insertInto('gateway_audit')
        .values(rows.slice(at, at + 300))
        .execute()
    const left: number[] = []
    for (let more = true; more; ) {
      more = await removeOldAudit(db, NOW)
      left.push((await db.selectFrom('gateway_audit').select('id').execute()).length)
    }
    expect(left).toEqual([700, 200, 100])
  })

  it('gives each user one account, also when two requests ask at once', async () => {
    const { db } = test.database
    const both = await Promise.all([accountOfUser(db, '5'), accountOfUser(db, '5')])
    expect(both).toEqual(['u5', 'u5'])
    expect(await accountPage(db, { limit: 10, after: null })).toEqual([
      { account_id: 'owner', user_id: null },
      { account_id: 'u5', user_id: '5' },
    ])
    expect(await accountPage(db, { limit: 1, after: 'owner' })).toMatchObject([{ account_id: 'u5' }])
    expect(await accountById(db, 'u5')).toEqual({ account_id: 'u5', user_id: '5' })
    expect(await accountById(db, 'u6')).toBeNull()
  })

  it("gives the owner token's account to the first who takes it, and to nobody after", async () => {
    const { db } = test.database
    const taken = await Promise.all(['5', '6'].map((id) => takeOwnerAccount(db, id)))
    expect(new Set(taken)).toEqual(new Set([false, true]))
    expect(await accountOfUser(db, taken[0] === true ? '5' : '6')).toBe('owner')
    expect(await addAccount(db, 'owner', '7')).toBe(false)
  })

  const token: TokenRow = {
    id: 't1',
    account_id: 'u5',
    user_id: '5',
    made_by: null,
    client_id: null,
    grant_id: null,
    name: 'backup',
    token_hash: 'h1',
    scopes: 'channels:read',
    created_at_ms: NOW,
    expires_at_ms: NOW + 1000,
    last_used_at_ms: null,
    revoked_at_ms: null,
  }

  it('knows a token until it expires or is revoked in its own account', async () => {
    const { db } = test.database
    await addToken(db, token)
    expect(await liveToken(db, 'h1', NOW + 999)).toEqual(token)
    expect(await liveToken(db, 'h1', NOW + 1000)).toBeNull()
    expect(await liveToken(db, 'h2', NOW)).toBeNull()
    expect(await revokeToken(db, { accountId: 'u6', id: 't1' }, NOW)).toBe(false)
    expect([await countTokens(db, 'u5', NOW), await countTokens(db, 'u6', NOW)]).toEqual([1, 0])
    expect(await countTokens(db, 'u5', NOW + 1000)).toBe(0)
    expect(await revokeToken(db, { accountId: 'u5', id: 't1' }, NOW)).toBe(true)
    expect(await revokeToken(db, { accountId: 'u5', id: 't1' }, NOW)).toBe(false)
    expect([await liveToken(db, 'h1', NOW), await listTokensOfAccount(db, 'u5')]).toEqual([null, []])
  })

  it('revokes with a token what it has made, wherever that acts', async () => {
    const { db } = test.database
    const made = { t1: null, t2: 't1', t3: 't2', t4: 't1', t5: null }
    for (const [id, made_by] of Object.entries(made)) {
      await addToken(db, { ...token, id, token_hash: id, made_by, account_id: id === 't4' ? 'u6' : 'u5' })
    }
    expect(await revokeToken(db, { accountId: 'u5', id: 't1' }, NOW)).toBe(true)
    expect((await listTokensOfAccount(db, 'u5')).map(({ id }) => id)).toEqual(['t5'])
    expect(await listTokensOfAccount(db, 'u6')).toEqual([])
  })

  it('forgets tokens that have not been valid for long', async () => {
    const { db } = test.database
    const ends = {
      expired: [NOW - 1, null],
      revoked: [null, NOW - 1],
      kept: [NOW, NOW],
      endless: [null, null],
    } as const
    for (const [id, [expires_at_ms, revoked_at_ms]] of Object.entries(ends)) {
      await addToken(db, { ...token, id, token_hash: id, expires_at_ms, revoked_at_ms })
    }
    await removeOldTokens(db, NOW)
    const left = await db.selectFrom('gateway_token').select('id').orderBy('id').execute()
    expect(left.map(({ id }) => id)).toEqual(['endless', 'kept'])
  })

  it('notes the use of a token once a minute', async () => {
    const { db } = test.database
    await addToken(db, { ...token, expires_at_ms: null })
    const used: unknown[] = []
    for (const after of [0, 59_999, 60_000]) {
      await recordTokenUse(db, 't1', NOW + after)
      used.push((await listTokensOfAccount(db, 'u5'))[0]?.last_used_at_ms)
    }
    expect(used).toEqual([NOW, NOW, NOW + 60_000])
  })

  const invitation: InvitationRow = {
    id: 'i1',
    token_hash: 'h1',
    email: null,
    is_staff: 0,
    is_first: 0,
    created_by: 'owner',
    created_at_ms: NOW,
    expires_at_ms: NOW + 1000,
    used_at_ms: null,
    used_by: null,
  }

  it('lets one of two use an invitation, and nobody after its end', async () => {
    const { db } = test.database
    await addInvitation(db, invitation)
    await addInvitation(db, { ...invitation, id: 'i2', token_hash: 'h2' })
    const used = await Promise.all([useInvitation(db, 'h1', NOW), useInvitation(db, 'h1', NOW)])
    expect(used.map((row) => row?.id ?? '').toSorted()).toEqual(['', 'i1'])
    expect(await useInvitation(db, 'h2', NOW + 1000)).toBeNull()
    expect(await openInvitation(db, 'h1', NOW)).toBeNull()
    expect((await openInvitations(db, NOW)).map(({ id }) => id)).toEqual(['i2'])
    expect([await revokeInvitation(db, 'i1'), await revokeInvitation(db, 'i2')]).toEqual([false, true])
  })

  it('keeps the link to the first account apart from invitations', async () => {
    const { db } = test.database
    await addInvitation(db, { ...invitation, is_first: 1 })
    expect(await openInvitations(db, NOW)).toEqual([])
    expect(await revokeInvitation(db, 'i1')).toBe(false)
    await removeFirstInvitations(db)
    expect(await openInvitation(db, 'h1', NOW)).toBeNull()
  })

  it('takes back what somebody has made, by a token of theirs too, and what nobody has used', async () => {
    const { db } = test.database
    await addToken(db, token)
    const made = ['5', 't1', '6', 'owner'].map((created_by, n) => ({ ...invitation, id: `i${n}`, created_by }))
    for (const row of made) await addInvitation(db, { ...row, token_hash: row.id })
    await addInvitation(db, { ...invitation, id: 'used', token_hash: 'used', created_by: '5', used_at_ms: NOW })
    await revokeInvitationsByUser(db, '5')
    expect((await openInvitations(db, NOW)).map(({ id }) => id)).toEqual(['i3', 'i2'])
    await revokeInvitationsByUser(db, '6')
    expect((await openInvitations(db, NOW)).map(({ id }) => id)).toEqual(['i3'])
    const kept = await db.selectFrom('gateway_invitation').select('id').orderBy('id').execute()
    expect(kept.map(({ id }) => id)).toEqual(['i3', 'used'])
  })

  type Page = Parameters<typeof auditPage>[1]
  const anything: Page = { limit: 9, before: null, accountId: null, action: null, outcome: null, text: null }

  it('tells what was done, the newest first, in pages and by what is asked for, and forgets what is old', async () => {
    const { db } = test.database
    const line = { at_ms: NOW, actor: 'owner', actor_kind: 'owner', target: 'telegram', ip: '192.0.2.1' } as const
    const done = { ...line, user_agent: null, account_id: 'owner', outcome: 'ok', code: null } as const
    await addAuditRow(db, { ...done, id: 'a1', action: 'saveChannel', user_agent: 'Zürich 50%_*' })
    await addAuditRow(db, { ...done, id: 'a2', at_ms: NOW + 2, action: 'saveChannel', account_id: 'u5' })
    await addAuditRow(db, {
      ...done,
      id: 'a3',
      at_ms: NOW + 3,
      action: 'disableChannel',
      outcome: 'refused',
      code: 'no_credentials',
    })
    const ids = async (page: Partial<Page>): Promise<string> =>
      (await auditPage(test.database, { ...anything, ...page })).map(({ id }) => id).join(' ')
    expect(await ids({ limit: 2 })).toBe('a3 a2')
    expect(await ids({ before: 'a2' })).toBe('a1')
    expect(await ids({ accountId: 'u5' })).toBe('a2')
    expect(await ids({ action: 'saveChannel' })).toBe('a2 a1')
    expect(await ids({ action: 'saveChannel', accountId: 'owner' })).toBe('a1')
    expect(await ids({ outcome: 'refused' })).toBe('a3')
    const found = ['SAVECHANNEL', 'No_Cred', '192.0.2', 'U5', 'zürich', '50%_*', 'n%l', '_', "'"]
    expect(await Promise.all(found.map((text) => ids({ ...anything, text })))).toEqual([
      'a2 a1',
      'a3',
      'a3 a2 a1',
      'a2',
      'a1',
      'a1',
      '',
      'a3 a1',
      '',
    ])
    await removeOldAudit(db, NOW + 3)
    expect(await ids({})).toBe('a3')
  })
})
