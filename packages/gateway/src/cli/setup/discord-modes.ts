import { connect } from '../api.ts'
import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.ts'
import { waitRunning } from '../wait-running.ts'
import type { Io } from '../io.ts'
import type { SetupArgs } from './args.ts'
import type { HelperMode } from './helper-mode.ts'

/** The bot is looked for in a server this long, in milliseconds. */
const WATCH_MS = 10 * 60 * 1_000
const LOOK_SECONDS = 20
const TOKEN_BYTES = 4096

/** The portal's address, a check of the token, the invitation, and the wait until the bot is in a server. */
export const discordMode: HelperMode = {
  platform: 'discord',
  isAsked: ({ portalUrl, validate, inviteUrl, watchGuild }) =>
    portalUrl || validate !== undefined || inviteUrl !== undefined || watchGuild,
  async run(args, io) {
    const { validate, inviteUrl } = args
    if (args.portalUrl) return print((await import('@gatepost/channels')).DISCORD_PORTAL_URL, io)
    if (inviteUrl !== undefined) return print(await invitation(inviteUrl), io)
    if (validate !== undefined) return validateToken(args, validate, io)
    return watchGuild(args, io)
  },
}

function print(text: string, io: Io): ExitCode {
  io.out.write(`${text}\n`)
  return EXIT.ok
}

/** @throws {CliError} `usage` for what is no application id */
async function invitation(appId: string): Promise<string> {
  if (!/^\d{1,20}$/.test(appId)) throw usageError('An application id is a number.')
  const { discordInviteUrl } = await import('@gatepost/channels')
  return discordInviteUrl(appId)
}

/** Prints `{bot_id, username}` when the token is accepted and saved; the adapter starts. */
async function validateToken(args: SetupArgs, given: string, io: Io): Promise<ExitCode> {
  const token = (given === '-' ? await io.readInput(TOKEN_BYTES) : given).trim()
  const client = await connect(args, io)
  const { bot } = await client.test('discord', { bot_token: token })
  await client.save('discord', { bot_token: token })
  await waitRunning(client, 'discord', io)
  return print(JSON.stringify({ bot_id: bot.id, username: bot.name }), io)
}

/** Prints `{guild_id, guild_name, total}` as soon as the bot is in a server. */
async function watchGuild(args: SetupArgs, io: Io): Promise<ExitCode> {
  const client = await connect(args, io)
  const untilMs = io.clock.now() + WATCH_MS
  let view = await client.startSetup('discord', 'invite')
  while (view.state !== 'done' && view.state !== 'failed') {
    const leftSeconds = Math.floor((untilMs - io.clock.now()) / 1_000)
    if (leftSeconds <= 0 || io.signal.aborted) break
    const waitSeconds = Math.min(LOOK_SECONDS, leftSeconds)
    view = await client.setup('discord', view.id, { version: view.version, waitSeconds })
  }
  if (view.state === 'done' && 'guild_id' in view.facts) return print(JSON.stringify(view.facts), io)
  if (view.state === 'failed') throw new CliError(view.error ?? 'setup_failed', view.message)
  throw new CliError('timed_out', 'timed out: the bot is in no server yet.')
}
