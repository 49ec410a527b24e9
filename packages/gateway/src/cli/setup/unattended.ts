import type { ApiClient } from '../api.ts'
import { EXIT, usageError, type ExitCode } from '../exit-code.ts'
import { jsonText } from '../text.ts'
import { reportRunning, waitRunning } from '../commands/channel-view.ts'
import type { Io } from '../io.ts'
import type { SetupArgs } from './args.ts'

const SECRET_BYTES = 4096
/** @see reference of the channel API: `bot_token` */
const TELEGRAM_TOKEN = /^\d+:[\w-]{30,}$/

/** Names of the saved fields. */
const FIELDS: Readonly<Record<string, { readonly secret: string; readonly id?: string; readonly server?: string }>> = {
  feishu: { id: 'app_id', secret: 'app_secret', server: 'domain' },
  wecom: { id: 'bot_id', secret: 'secret' },
  weixin: { secret: 'token', server: 'base_url' },
  discord: { secret: 'bot_token' },
  telegram: { secret: 'bot_token', server: 'base_url' },
  dingtalk: { id: 'client_id', secret: 'client_secret' },
}

/** Saves credentials whose secret comes from a file or standard input. Never prompts. */
export async function setUpUnattended(client: ApiClient, args: SetupArgs, io: Io): Promise<ExitCode> {
  const { platform } = await client.details(args.platform) // resolves an alias, and fails early if the server is down
  const body = createSaveBody(platform, args, (await readSecret(args, io)).trim())
  const answer = await client.save(platform, body)
  if (!args.json) return reportRunning(client, platform, io)
  const details = await waitRunning(client, platform, io)
  io.out.write(jsonText(answer))
  return details.running ? EXIT.ok : EXIT.failed
}

const readSecret = (args: SetupArgs, io: Io): Promise<string> =>
  args.tokenFile === undefined ? io.readInput(SECRET_BYTES) : io.readFile(args.tokenFile, SECRET_BYTES)

/** Returns the fields to save. @throws {CliError} `usage` for invalid values, which are never sent */
function createSaveBody(platform: string, args: SetupArgs, secret: string): Readonly<Record<string, string>> {
  const fields = FIELDS[platform]
  if (!fields) throw usageError(`This version can't set up ${platform}.`)
  if (secret === '') throw usageError(`The ${fields.secret} is empty.`)
  if (platform === 'telegram' && !TELEGRAM_TOKEN.test(secret))
    throw usageError('A bot token looks like 123456789:AAE… (digits, a colon, at least 30 characters).')
  if (fields.id !== undefined && args.id === undefined) throw usageError(`Pass the ${fields.id} with --id.`)
  if (fields.id === undefined && args.id !== undefined) throw usageError(`${platform} doesn't use --id.`)
  return {
    ...(fields.id !== undefined && { [fields.id]: args.id ?? '' }),
    [fields.secret]: secret,
    ...serverFields(platform, args.baseUrl),
  }
}

/** Returns the field for a custom server. @throws {CliError} `usage` if the platform has only one */
export function serverFields(platform: string, baseUrl: string | undefined): Readonly<Record<string, string>> {
  if (baseUrl === undefined) return {}
  const server = FIELDS[platform]?.server
  if (server === undefined) throw usageError(`${platform} doesn't support --base-url.`)
  return { [server]: baseUrl }
}
