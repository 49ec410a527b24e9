import { GatewayError } from '../../server/errors.ts'
import { type Caller, SCOPES } from '../caller.ts'
import { hashSecret, createSecretText } from '../secret-text.ts'
import type { GatewayTables } from '../schema.ts'
import {
  addToken,
  countTokens,
  LAST_USE_EVERY_MS,
  liveToken,
  recordTokenUse,
  removeOldTokens,
  revokeToken,
  type TokenRow,
  listTokensOfAccount,
} from './token-store.sql.ts'
import { type Clock, type Log, createRisingId, type Scope } from '@gatepost/channels'
import type { Database } from '@gatepost/sql'

/** Request to create a token. */
export interface TokenRequest {
  readonly name: string
  /** `null`: all channel scopes that the creator has. */
  readonly scopes: readonly Scope[] | null
  /** Lifetime in seconds; `null`: valid until revoked. */
  readonly expiresInSeconds: number | null
}

/** Personal access tokens: for programs, with the permissions of their creator. */
export interface Tokens {
  /**
   * Creates a token. Only a hash of its text is stored.
   * @throws {GatewayError} `scope_not_allowed`, `second_factor_required`, `too_many_tokens`
   */
  create(
    maker: Caller,
    accountId: string,
    asked: TokenRequest,
  ): Promise<{ readonly text: string; readonly row: TokenRow }>
  list(accountId: string): Promise<readonly TokenRow[]>
  /** Revokes a token and all tokens created with it. @throws {GatewayError} `unknown_token` */
  revoke(accountId: string, id: string): Promise<void>
  /** Returns the valid token with this text, or `null`. Records its use in the background. */
  check(text: string): Promise<TokenRow | null>
  /** Removes tokens that have been invalid for 30 days. */
  sweep(): Promise<void>
  /** Resolves when all recorded uses are stored. */
  settle(): Promise<void>
}

/** How long invalid tokens are kept, in milliseconds. Longer than the lifetime of invitations created with them. */
const KEPT_MS = 30 * 86_400_000
const DEFAULT_SCOPES: readonly Scope[] = ['channels:read', 'channels:write', 'channels:send']
const FORM = /^gp_[\w-]{43}$/

/** Creates the token service. */
export function createTokens(parts: {
  readonly database: Database<GatewayTables>
  readonly clock: Clock
  readonly log: Log
  /** Most valid tokens per account. */
  readonly maxTokens: number
}): Tokens {
  const { database, clock } = parts
  const uses = createUseRecorder(parts)
  return {
    async create(maker, accountId, asked) {
      const text = `gp_${createSecretText()}`
      const row = toTokenRow(text, { maker, accountId, asked, nowMs: clock.now() })
      await database.transaction(async (tx) => {
        if ((await countTokens(tx, accountId, row.created_at_ms)) >= parts.maxTokens)
          throw new GatewayError('too_many_tokens')
        await addToken(tx, row)
      })
      return { text, row }
    },
    list: (accountId) => listTokensOfAccount(database.db, accountId),
    async revoke(accountId, id) {
      const isRevoked = await database.transaction((tx) => revokeToken(tx, { accountId, id }, clock.now()))
      if (!isRevoked) throw new GatewayError('unknown_token')
    },
    async check(text) {
      if (!FORM.test(text)) return null
      const nowMs = clock.now()
      const row = await liveToken(database.db, hashSecret(text), nowMs)
      if (row !== null) uses.note(row, nowMs)
      return row
    },
    sweep: () => removeOldTokens(database.db, clock.now() - KEPT_MS),
    settle: () => uses.settle(),
  }
}

function toTokenRow(
  text: string,
  of: { readonly maker: Caller; readonly accountId: string; readonly asked: TokenRequest; readonly nowMs: number },
): TokenRow {
  const { maker, accountId, asked, nowMs } = of
  return {
    id: createRisingId(nowMs),
    account_id: accountId,
    user_id: maker.userId,
    made_by: maker.kind === 'token' ? maker.actor : null,
    client_id: maker.client?.id ?? null,
    grant_id: maker.client?.grantId ?? null,
    name: asked.name,
    token_hash: hashSecret(text),
    scopes: scopesFor(maker, asked.scopes).join(' '),
    created_at_ms: nowMs,
    expires_at_ms: toExpiry(maker, asked, nowMs),
    last_used_at_ms: null,
    revoked_at_ms: null,
  }
}

/** Records uses of tokens in the background. */
function createUseRecorder({ database, log }: { readonly database: Database<GatewayTables>; readonly log: Log }): {
  note(row: TokenRow, nowMs: number): void
  settle(): Promise<void>
} {
  const noting = new Map<string, Promise<void>>()
  return {
    note(row, nowMs) {
      const isFresh = row.last_used_at_ms !== null && row.last_used_at_ms > nowMs - LAST_USE_EVERY_MS
      if (isFresh || noting.has(row.id)) return
      const written = recordTokenUse(database.db, row.id, nowMs)
        .catch((error: unknown) => log.warn("Couldn't record the use of a token", { id: row.id, error }))
        .finally(() => noting.delete(row.id))
      noting.set(row.id, written)
    },
    async settle() {
      await Promise.all(noting.values())
    },
  }
}

function scopesFor(maker: Caller, asked: TokenRequest['scopes']): readonly Scope[] {
  if (asked === null) return DEFAULT_SCOPES.filter((scope) => maker.scopes.has(scope))
  const lacking = asked.filter((scope) => !maker.scopes.has(scope))
  if (lacking.length > 0) {
    const isWithheld = lacking.every((scope) => maker.withheld.has(scope))
    throw new GatewayError(isWithheld ? 'second_factor_required' : 'scope_not_allowed')
  }
  return [...SCOPES].filter((scope) => asked.includes(scope))
}

/** Returns the expiry. A token created with another token doesn't outlive it. */
function toExpiry(maker: Caller, { expiresInSeconds }: TokenRequest, nowMs: number): number | null {
  const asked = expiresInSeconds === null ? null : nowMs + expiresInSeconds * 1000
  if (maker.expiresAtMs === null) return asked
  return asked === null ? maker.expiresAtMs : Math.min(asked, maker.expiresAtMs)
}

/** Parses the stored scopes. */
export const parseRowScopes = (row: Pick<TokenRow, 'scopes'>): readonly Scope[] =>
  [...SCOPES].filter((scope) => row.scopes.split(' ').includes(scope))
