import { join } from 'node:path'
import { PROGRAM } from './command.ts'
import { CliError, EXIT } from './exit-code.ts'
import type { Io } from './io.ts'
import { type Credentials, connectOAuth } from './oauth-server.ts'
import { type Bearer, dataFolder, tokenFile } from './server-address.ts'

type ByServer = Readonly<Record<string, Credentials>>

/** Path of the stored credentials (mode 0600). */
const credentialsFile = (env: Io['env']): string => join(dataFolder(env), 'credentials.json')

/** Tokens that expire sooner than this are refreshed first. Longer than a call takes. */
const EARLY_MS = 30_000

async function readAll(io: Io): Promise<ByServer> {
  const path = credentialsFile(io.env)
  const text = await io.files.read(path)
  const servers = text === null ? {} : serversIn(text)
  if (servers !== null) return servers
  throw new CliError('credentials_damaged', `${path} is damaged. Delete it and sign in again.`, { exit: EXIT.usage })
}

/** Returns `null` if the text isn't a credentials file. */
function serversIn(text: string): ByServer | null {
  try {
    const value: unknown = JSON.parse(text)
    const servers = isRecord(value) && value['version'] === 1 ? value['servers'] : null
    return isRecord(servers) && Object.values(servers).every(isCredentials) ? (servers as ByServer) : null // just checked
  } catch {
    return null
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCredentials = (value: unknown): boolean =>
  isRecord(value) &&
  ['client_id', 'access_token', 'refresh_token'].every((name) => typeof value[name] === 'string') &&
  typeof value['expires_at'] === 'number'

/** Replaces the credentials of a server; `null` removes them. */
async function writeOne(io: Io, url: string, value: Credentials | null): Promise<void> {
  const { [url]: _old, ...others } = await readAll(io)
  const servers = value === null ? others : { ...others, [url]: value }
  await io.files.write(credentialsFile(io.env), `${JSON.stringify({ version: 1, servers }, null, 2)}\n`)
}

/** Returns the credentials of a server; `null` if not signed in. @throws {CliError} `credentials_damaged`, `usage` */
const credentialsFor = async (io: Io, url: string): Promise<Credentials | null> => (await readAll(io))[url] ?? null

/** Stores the credentials of a server. */
export const saveCredentials = (io: Io, url: string, kept: Credentials): Promise<void> =>
  io.files.locked(credentialsFile(io.env), () => writeOne(io, url, kept))

/** Runs `end` with a server's credentials, then removes them. No process refreshes meanwhile. `null`: not signed in. */
export const removeCredentials = <R>(io: Io, url: string, end: (kept: Credentials) => Promise<R>): Promise<R | null> =>
  io.files.locked(credentialsFile(io.env), async () => {
    const kept = await credentialsFor(io, url)
    if (kept === null) return null
    const result = await end(kept)
    await writeOne(io, url, null)
    return result
  })

/**
 * Returns an access token that is valid for at least 30 s, or `null` if not signed in. Only one process refreshes at a
 * time, because a refresh token can be used once.
 * @throws {CliError} `signed_out` if the server rejects the refresh token
 */
async function accessToken(io: Io, url: string): Promise<string | null> {
  const kept = await credentialsFor(io, url)
  if (kept === null || isFresh(io, kept)) return kept?.access_token ?? null
  return io.files.locked(credentialsFile(io.env), async () => {
    const now = await credentialsFor(io, url)
    if (now === null || isFresh(io, now)) return now?.access_token ?? null
    const refreshed = await (await connectOAuth(io, url)).refresh(now)
    await writeOne(io, url, refreshed)
    if (refreshed !== null) return refreshed.access_token
    throw new CliError('signed_out', `You're signed out at ${url}.`, {
      exit: EXIT.unauthorized,
      hints: [`Sign in again: ${PROGRAM} login`],
    })
  })
}

const isFresh = (io: Io, { expires_at }: Credentials): boolean => expires_at > io.clock.now() + EARLY_MS

const TOKEN_BYTES = 4096

/**
 * Returns the token to send: `GATEPOST_TOKEN`, else the one from `gatepost login`, else the owner token in the data
 * folder.
 * @throws {CliError} `signed_out`, `credentials_damaged`
 */
export async function findBearer(io: Io, url: string): Promise<Bearer> {
  const given = io.env['GATEPOST_TOKEN']?.trim()
  if (given) return checkedToken(given, 'GATEPOST_TOKEN')
  const signedIn = await accessToken(io, url)
  if (signedIn !== null) return checkedToken(signedIn, 'The sign-in response')
  const path = tokenFile(io.env)
  try {
    return checkedToken((await io.readFile(path, TOKEN_BYTES)).trim(), path)
  } catch (error) {
    if (error instanceof CliError) return { found: false, why: `No token found. ${error.message}` }
    throw error
  }
}

/** An invalid token must reach neither a header nor an error message. */
const checkedToken = (value: string, source: string): Bearer =>
  /^[\x21-\x7e]+$/.test(value)
    ? { found: true, value }
    : { found: false, why: `${source} doesn't contain a valid token.` }
