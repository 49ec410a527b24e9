import type { Kernel } from '../kernel/kernel.ts'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import { isRecord } from '../kernel/settings/kind.ts'
import type { AuthTables } from '../kernel/schema/tables.ts'
import { isTrue, jsonOf, timeOf, timeText } from '../kernel/schema/values.ts'
import type { AuthDb } from '../kernel/users/user.ts'
import { type UserRows, userRows } from '../kernel/users/user-rows.sql.ts'
import { CLIENT_TYPES, GRANT_TYPES, mayUse, RESPONSE_TYPES } from './client-rules.ts'
import type { OidcClient, ResponseType } from './clients.ts'

/** Where the registered targets of a logout stand in `data`. */
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

/** How clients stand in `allauth_idp_oidc_client`. */
export interface ClientRows {
  list(db: AuthDb): Promise<readonly OidcClient[]>
  withOrigins(db: AuthDb): Promise<readonly OidcClient[]>
  responseTypes(db: AuthDb): Promise<readonly ResponseType[]>
  /** @param lock Others who ask for it wait for the end of the transaction. */
  byId(db: AuthDb, id: string, lock?: 'lock'): Promise<OidcClient | null>
  /** What a client is written as, without id, secret and time. */
  row(
    client: Omit<OidcClient, 'id' | 'createdAtMs'>,
  ): Omit<Insertable<AuthTables['allauth_idp_oidc_client']>, 'id' | 'secret' | 'created_at'>
  time(ms: number): string
}

/** Creates the store of OAuth clients. */
export function clientRows({ database, settings }: Pick<Kernel, 'database' | 'settings'>): ClientRows {
  const { dialect } = database
  const users = userRows(settings.userTable, dialect)
  const read = (row: Row): OidcClient => readClient(row, jsonOf(row.data, dialect), users)
  const select = (db: AuthDb) => db.selectFrom('allauth_idp_oidc_client').select(COLUMNS)
  return {
    list: async (db) => (await select(db).orderBy('created_at').orderBy('id').execute()).map(read),
    withOrigins: async (db) => (await select(db).where('cors_origins', '!=', '').execute()).map(read),
    async responseTypes(db) {
      const found = await db.selectFrom('allauth_idp_oidc_client').select('response_types').distinct().execute()
      const lines = new Set(found.flatMap((row) => linesOf(row.response_types)))
      return RESPONSE_TYPES.filter((type) => lines.has(type))
    },
    async byId(db, id, lock) {
      if (id.includes('\0') || !id.isWellFormed()) return null
      const isLocked = lock !== undefined && dialect === 'postgres'
      const found = isLocked
        ? await sql<Row>`${byId(id)} for update`.execute(db)
        : await users.run(db, 'oidc client', () => byId(id), [id])
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

const byId = (id: string): RawBuilder<Row> =>
  sql<Row>`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from allauth_idp_oidc_client where id = ${id}`

/** An old site keeps `null` where there is nothing. */
function dataText({
  data,
  postLogoutRedirectUris,
}: Pick<OidcClient, 'data' | 'postLogoutRedirectUris'>): string | null {
  const { [POST_LOGOUT]: _kept, ...rest } = data
  const whole = postLogoutRedirectUris.length === 0 ? rest : { ...rest, [POST_LOGOUT]: postLogoutRedirectUris }
  return Object.keys(whole).length === 0 ? null : JSON.stringify(whole)
}

/** What a row says that is none of ours counts for nothing: an unknown type is the one that needs a secret. */
function readClient(row: Row, data: unknown, users: UserRows): OidcClient {
  const { [POST_LOGOUT]: uris, ...rest } = isRecord(data) ? data : {}
  const type = CLIENT_TYPES.find((one) => one === row.type) ?? 'confidential'
  const grants = linesOf(row.grant_types)
  const responses = linesOf(row.response_types)
  return {
    id: row.id,
    name: row.name,
    type,
    scopes: linesOf(row.scopes),
    defaultScopes: linesOf(row.default_scopes),
    grantTypes: GRANT_TYPES.filter((grant) => grants.includes(grant) && mayUse(type, grant)),
    responseTypes: RESPONSE_TYPES.filter((one) => responses.includes(one)),
    redirectUris: linesOf(row.redirect_uris),
    postLogoutRedirectUris: Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [],
    corsOrigins: linesOf(row.cors_origins),
    allowUriWildcards: isTrue(row.allow_uri_wildcards),
    skipConsent: isTrue(row.skip_consent),
    ownerId: row.owner_id === null ? null : users.id(row.owner_id),
    createdAtMs: timeOf(row.created_at),
    data: rest,
  }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
