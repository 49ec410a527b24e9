import { shouldRenewHash } from '../kernel/passwords/passwords.ts'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { AuthError, InvalidInput } from '../errors.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction, nullOnUniqueViolation, removeRows } from '../kernel/schema/in-transaction.sql.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { isTrue, parseJsonColumn, parseTime, timeText } from '../kernel/schema/values.ts'
import { isRecord } from '../kernel/settings/kind.ts'
import { userRows, type UserRows } from '../kernel/users/user-rows.sql.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import { checkClient, CLIENT_TYPES, GRANT_TYPES, isGrantAllowed, RESPONSE_TYPES } from './client-rules.ts'
import type { OidcClient, OidcClientInput, OidcClients, ResponseType } from './clients.ts'
import type { Oidc } from './oidc.ts'

const TABLE = 'allauth_idp_oidc_client'
/** How many IDs are tried until an unused one is found. A host's `generateClientId` may return short IDs. */
const ID_ATTEMPTS = 5

const DEFAULTS: Omit<OidcClient, 'id' | 'createdAtMs' | 'name'> = {
  type: 'confidential',
  scopes: ['openid'],
  defaultScopes: [],
  grantTypes: ['authorization_code'],
  responseTypes: ['code'],
  redirectUris: [],
  postLogoutRedirectUris: [],
  corsOrigins: [],
  allowUriWildcards: false,
  skipConsent: false,
  ownerId: null,
  data: {},
}

/** Port: `OidcClients`. */
export function sqlOidcClients(oidc: Oidc): OidcClients {
  let known: ClientRows | null = null
  const rows = (): ClientRows => (known ??= clientRows(oidc.kernel, () => oidc.adapter.consentScopes))
  return {
    ...clientQueries(rows),
    create: (db, input) => create(oidc, rows(), db, input),
    update: (db, id, changes) => inTransaction(oidc.kernel.database, db, (tx) => update(oidc, rows(), tx, id, changes)),
    async renewSecret(db, id, ownerId) {
      const client = requireClient(await rows().byId(db, id))
      if (client.type === 'public') throw new AuthError('permission_denied')
      const secret = oidc.adapter.generateClientSecret()
      const encoded = await oidc.kernel.passwords.hash(secret)
      const { owner_id } = rows().row({ ...client, ownerId: ownerId ?? null })
      const written = { secret: encoded, ...(ownerId !== undefined && { owner_id }) }
      const query = db.updateTable(TABLE).set(written).where('id', '=', id).where('type', '!=', 'public')
      if ((await query.returning('id').executeTakeFirst()) === undefined) throw new AuthError('not_found')
      return secret
    },
    async remove(db, id) {
      await inTransaction(oidc.kernel.database, db, async (tx) => {
        requireClient(await rows().byId(tx, id))
        const which = sql`${sql.ref('id')} = ${id}`
        await removeRows(tx, { table: TABLE, target: sql.table(TABLE), key: sql.ref('id'), which })
      })
    },
    isSecret: (db, id, secret) => isSecret(oidc.kernel, db, id, secret),
  }
}

type Reads = Pick<OidcClients, 'list' | 'withOrigins' | 'responseTypes' | 'byId'>

const clientQueries = (rows: () => ClientRows): Reads => ({
  list: (db) => rows().list(db),
  withOrigins: (db) => rows().withOrigins(db),
  responseTypes: (db) => rows().responseTypes(db),
  byId: (db, id) => rows().byId(db, id),
})

/** @throws {AuthError} `not_found` */
function requireClient(client: OidcClient | null): OidcClient {
  if (client === null) throw new AuthError('not_found')
  return client
}

async function create(
  oidc: Oidc,
  rows: ClientRows,
  db: AuthDb,
  input: Parameters<OidcClients['create']>[1],
): ReturnType<OidcClients['create']> {
  const whole = mergeClient(DEFAULTS, input, input.name)
  await check(oidc, db, whole, whole, null)
  const { adapter } = oidc
  const secret = whole.type === 'public' ? null : adapter.generateClientSecret()
  const encoded = secret === null ? oidc.kernel.passwords.unusable() : await oidc.kernel.passwords.hash(secret)
  for (let attempt = 1; attempt <= (input.id === undefined ? ID_ATTEMPTS : 1); attempt++) {
    const client = { ...whole, id: input.id ?? adapter.generateClientId(), createdAtMs: oidc.kernel.clock.now() }
    const row = { ...rows.row(client), id: client.id, secret: encoded, created_at: rows.time(client.createdAtMs) }
    const added = await nullOnUniqueViolation(db, () => db.insertInto(TABLE).values(row).execute())
    if (added !== null) return { client, secret }
  }
  if (input.id !== undefined) throw new InvalidInput([oidc.account.adapter.validationError('invalid', { param: 'id' })])
  throw new Error('generateClientId returned only IDs that already exist')
}

async function update(
  oidc: Oidc,
  rows: ClientRows,
  tx: AuthDb,
  id: string,
  given: OidcClientInput,
): Promise<OidcClient> {
  const before = requireClient(await rows.byId(tx, id, 'lock'))
  const { scopes } = given
  // A scope that's removed can't stay a default scope.
  const changes =
    scopes === undefined
      ? given
      : { defaultScopes: before.defaultScopes.filter((one) => scopes.includes(one)), ...given }
  const whole = mergeClient(before, changes, before.name)
  await check(oidc, tx, whole, changes, before)
  const client = { ...whole, id, createdAtMs: before.createdAtMs }
  // A client that becomes public loses its secret, so that it's not valid again if the client becomes confidential.
  const isOpened = client.type === 'public' && before.type !== 'public'
  const row = { ...rows.row(client), ...(isOpened ? { secret: oidc.kernel.passwords.unusable() } : {}) }
  await tx.updateTable(TABLE).set(row).where('id', '=', id).execute()
  return client
}

/** Merges the given members into a client. Trims lines and drops empty and duplicate ones. */
function mergeClient(
  before: Omit<OidcClient, 'id' | 'createdAtMs' | 'name'>,
  given: OidcClientInput,
  name: string,
): Omit<OidcClient, 'id' | 'createdAtMs'> {
  const lines = <Line extends string>(list: readonly Line[]): readonly Line[] => [
    ...new Set(list.map((line) => line.trim() as Line).filter((line) => line !== '')), // invalid lines are rejected later
  ]
  const own = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const whole = { ...before, name, ...own }
  return {
    name: whole.name.trim(),
    type: whole.type,
    scopes: lines(whole.scopes),
    defaultScopes: lines(whole.defaultScopes),
    grantTypes: lines(whole.grantTypes),
    responseTypes: lines(whole.responseTypes),
    redirectUris: lines(whole.redirectUris),
    postLogoutRedirectUris: lines(whole.postLogoutRedirectUris),
    corsOrigins: lines(whole.corsOrigins),
    allowUriWildcards: whole.allowUriWildcards,
    skipConsent: whole.skipConsent,
    ownerId: whole.ownerId,
    data: whole.data,
  }
}

/** Checks a client, including that its owner exists. @throws {InvalidInput} */
async function check(
  oidc: Oidc,
  db: AuthDb,
  client: Omit<OidcClient, 'id' | 'createdAtMs'>,
  given: OidcClientInput,
  before: OidcClient | null,
): Promise<void> {
  const scopes = new Set(['openid', ...Object.keys(oidc.adapter.scopeDisplay)])
  const validationError = oidc.account.adapter.validationError
  checkClient(client, given, { scopes, consentScopes: oidc.adapter.consentScopes, validationError, before })
  const { ownerId } = client
  if (!('ownerId' in given) || ownerId === null || (await oidc.kernel.users.byId(db, ownerId)) !== null) return
  throw new InvalidInput([validationError('invalid_pk_value', { param: 'ownerId' })])
}

/**
 * Returns whether a secret is correct. Always computes a hash, even for unknown clients. Upgrades an outdated stored
 * hash.
 */
async function isSecret(kernel: Kernel, db: AuthDb, id: string, secret: string): Promise<boolean> {
  const isPossible = id.length <= 100 && id.isWellFormed() && !id.includes('\0')
  const query = db
    .selectFrom(TABLE)
    .select(['secret', 'type'])
    .where('id', '=', isPossible ? id : '')
  const row = await query.executeTakeFirst()
  const stored = row === undefined || row.type === 'public' ? '' : row.secret
  const check = await kernel.passwords.verify(secret, stored)
  if (shouldRenewHash(kernel, check)) {
    const encoded = await kernel.passwords.hash(secret)
    await db.updateTable(TABLE).set({ secret: encoded }).where('id', '=', id).where('secret', '=', stored).execute()
  }
  return check.ok
}

/** The member of `data` with the post-logout redirect URIs. */
const POST_LOGOUT = 'post_logout_redirect_uris'

const COLUMNS = [
  'id',
  'name',
  'scopes',
  'type',
  'grant_types',
  'redirect_uris',
  'cors_origins',
  'response_types',
  'skip_consent',
  'created_at',
  'data',
  'owner_id',
  'default_scopes',
  'allow_uri_wildcards',
] as const

interface Row {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly type: string
  readonly grant_types: string
  readonly redirect_uris: string
  readonly cors_origins: string
  readonly response_types: string
  readonly skip_consent: boolean | number
  readonly created_at: Date | string
  readonly data: unknown
  readonly owner_id: string | number | null
  readonly default_scopes: string
  readonly allow_uri_wildcards: boolean | number
}

/** Reads and writes rows of `allauth_idp_oidc_client`. */
interface ClientRows {
  list(db: AuthDb): Promise<readonly OidcClient[]>
  withOrigins(db: AuthDb): Promise<readonly OidcClient[]>
  responseTypes(db: AuthDb): Promise<readonly ResponseType[]>
  /** Returns a client. @param lock Locks the row until the end of the transaction (PostgreSQL). */
  byId(db: AuthDb, id: string, lock?: 'lock'): Promise<OidcClient | null>
  /** Returns the columns of a client without ID, secret, and time. */
  row(
    client: Omit<OidcClient, 'id' | 'createdAtMs'>,
  ): Omit<Insertable<AuthTables['allauth_idp_oidc_client']>, 'id' | 'secret' | 'created_at'>
  time(ms: number): string
}

/** @param consentScopes Returns the scopes that clients which skip consent don't have, even if their row has them. */
function clientRows(
  { database, settings }: Pick<Kernel, 'database' | 'settings'>,
  consentScopes: () => readonly string[],
): ClientRows {
  const { dialect } = database
  const users = userRows(settings.userTable, dialect)
  const read = (row: Row): OidcClient => {
    const client = readClient(row, parseJsonColumn(row.data, dialect), users)
    if (!client.skipConsent) return client
    const withheld = consentScopes()
    const allowed = (scopes: readonly string[]): readonly string[] => scopes.filter((one) => !withheld.includes(one))
    return { ...client, scopes: allowed(client.scopes), defaultScopes: allowed(client.defaultScopes) }
  }
  const select = (db: AuthDb) => db.selectFrom('allauth_idp_oidc_client').select(COLUMNS)
  return {
    list: async (db) => (await select(db).orderBy('created_at').orderBy('id').execute()).map(read),
    withOrigins: async (db) => (await select(db).where('cors_origins', '!=', '').execute()).map(read),
    async responseTypes(db) {
      const found = await db.selectFrom('allauth_idp_oidc_client').select('response_types').distinct().execute()
      const lines = new Set(found.flatMap((row) => splitLines(row.response_types)))
      return RESPONSE_TYPES.filter((type) => lines.has(type))
    },
    async byId(db, id, lock) {
      if (id.includes('\0') || !id.isWellFormed()) return null
      const isLocked = lock !== undefined && dialect === 'postgres'
      const found = isLocked
        ? await sql<Row>`${selectClientById(id)} for update`.execute(db)
        : await users.run(db, 'oidc client', () => selectClientById(id), [id])
      const [row] = found.rows
      return row === undefined ? null : read(row)
    },
    row: (client) => ({
      name: client.name,
      type: client.type,
      scopes: client.scopes.join('\n'),
      default_scopes: client.defaultScopes.join('\n'),
      grant_types: client.grantTypes.join('\n'),
      response_types: client.responseTypes.join('\n'),
      redirect_uris: client.redirectUris.join('\n'),
      cors_origins: client.corsOrigins.join('\n'),
      allow_uri_wildcards: client.allowUriWildcards,
      skip_consent: client.skipConsent,
      owner_id: client.ownerId === null ? null : users.key(client.ownerId),
      data: dataText(client),
    }),
    time: (ms) => timeText(ms, dialect),
  }
}

const selectClientById = (id: string): RawBuilder<Row> =>
  sql<Row>`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from allauth_idp_oidc_client where id = ${id}`

/** Serializes `data`. Writes `null` for an empty object, as migrated sites have it. */
function dataText({
  data,
  postLogoutRedirectUris,
}: Pick<OidcClient, 'data' | 'postLogoutRedirectUris'>): string | null {
  const { [POST_LOGOUT]: _kept, ...rest } = data
  const whole = postLogoutRedirectUris.length === 0 ? rest : { ...rest, [POST_LOGOUT]: postLogoutRedirectUris }
  return Object.keys(whole).length === 0 ? null : JSON.stringify(whole)
}

/**
 * Reads a client row. Ignores unknown grant and response types. An unknown client type counts as confidential, which
 * requires a secret.
 */
function readClient(row: Row, data: unknown, users: UserRows): OidcClient {
  const { [POST_LOGOUT]: uris, ...rest } = isRecord(data) ? data : {}
  const type = CLIENT_TYPES.find((one) => one === row.type) ?? 'confidential'
  const grants = splitLines(row.grant_types)
  const responses = splitLines(row.response_types)
  return {
    id: row.id,
    name: row.name,
    type,
    scopes: splitLines(row.scopes),
    defaultScopes: splitLines(row.default_scopes),
    grantTypes: GRANT_TYPES.filter((grant) => grants.includes(grant) && isGrantAllowed(type, grant)),
    responseTypes: RESPONSE_TYPES.filter((one) => responses.includes(one)),
    redirectUris: splitLines(row.redirect_uris),
    postLogoutRedirectUris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [],
    corsOrigins: splitLines(row.cors_origins),
    allowUriWildcards: isTrue(row.allow_uri_wildcards),
    skipConsent: isTrue(row.skip_consent),
    ownerId: row.owner_id === null ? null : users.id(row.owner_id),
    createdAtMs: parseTime(row.created_at),
    data: rest,
  }
}

const splitLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
