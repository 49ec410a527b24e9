import { accessToken } from './credentials.ts'
import { CliError } from './exit-code.ts'
import type { Io } from './io.ts'
import { type Bearer, tokenFile } from './server-address.ts'

const TOKEN_BYTES = 4096

/**
 * `GATEPOST_TOKEN`, else what `gatepost login` was given for this server, else the file that the server made at its
 * first start.
 * @throws {CliError} `signed_out`, `credentials_damaged`
 */
export async function bearerOf(io: Io, url: string): Promise<Bearer> {
  const given = io.env['GATEPOST_TOKEN']?.trim()
  if (given) return checkedToken(given, 'GATEPOST_TOKEN')
  const signedIn = await accessToken(io, url)
  if (signedIn !== null) return checkedToken(signedIn, 'what the server gave')
  const path = tokenFile(io.env)
  try {
    return checkedToken((await io.readFile(path, TOKEN_BYTES)).trim(), path)
  } catch (error) {
    if (error instanceof CliError) return { found: false, why: `There is no token. ${error.message}` }
    throw error
  }
}

/** What is no token must not get into a header, and not into an error either. */
const checkedToken = (value: string, source: string): Bearer =>
  /^[\x21-\x7e]+$/.test(value) ? { found: true, value } : { found: false, why: `${source} holds no token.` }
