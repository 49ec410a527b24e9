import type { SetupView } from '@gatepost/channels'
import { type ApiClient, connect } from '../api.ts'
import { waitRunning } from '../commands/channel-view.ts'
import { CliError, EXIT, type ExitCode, usageError } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { loadConfiguration } from '../commands/serve.ts'
import type { SetupArgs } from './args.ts'

/** Ends a run of `--qrcode-id` before the caller's limit of 60 s. The caller may run it again with the same id. */
const WEIXIN_RUN_MS = 58_000
const WEIXIN_POLL_SECONDS = 15

/** `--fetch-qr` prints `{qrcode_url, qrcode_id}` or `{error}`; `--qrcode-id <id>` waits until the credentials are saved. */
export const weixinMode: HelperMode = {
  platform: 'weixin',
  isAsked: ({ fetchQr, qrcodeId }) => fetchQr || qrcodeId !== undefined,
  async run(args, io) {
    const { qrcodeId } = args
    return qrcodeId === undefined
      ? printWeixinQr(args, io)
      : waitForWeixinLogin(await connect(args, io), qrcodeId, args, io)
  },
}

async function printWeixinQr(args: SetupArgs, io: Io): Promise<ExitCode> {
  try {
    const { id, url, message } = await (await connect(args, io)).startSetup('weixin', 'qr')
    if (url === undefined) throw new CliError('setup_failed', message)
    io.out.write(`${JSON.stringify({ qrcode_url: url, qrcode_id: id })}\n`)
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    io.out.write(`${JSON.stringify({ error: error.message })}\n`)
    return error.exit
  }
}

async function waitForWeixinLogin(client: ApiClient, id: string, args: SetupArgs, io: Io): Promise<ExitCode> {
  const untilMs = io.clock.now() + WEIXIN_RUN_MS
  const wait = (): number => Math.min(WEIXIN_POLL_SECONDS, Math.max(0, Math.floor((untilMs - io.clock.now()) / 1_000)))
  let view = await loadWeixinSetup(client, id, 0, 0)
  let told = ''
  let given = false
  while (view !== null && view.state !== 'done' && view.state !== 'failed') {
    // the program shows the first code: it knows nothing of the ones that took its place
    if (view.codes > 1) {
      await client.cancelSetup('weixin', view.id)
      return printFailure('expired', io)
    }
    if (view.state === 'input_needed') {
      if (args.verifyCode === undefined)
        return printFailure('verification code needed: run again with --verify-code', io)
      // once per run: Weixin blocks a code after some wrong numbers
      if (given) throw new CliError('code_wrong', view.message)
      given = true
      await client.answerSetup('weixin', view.id, { verify_code: args.verifyCode })
      view = await loadWeixinSetup(client, id, view.version + 1, wait())
      continue
    }
    if (view.state === 'scanned' && told === '') io.out.write(`${(told = 'scaned')}\n`)
    if (io.clock.now() >= untilMs || io.signal.aborted) return printFailure('timed out', io)
    view = await loadWeixinSetup(client, id, view.version, wait())
  }
  if (view?.state === 'done') {
    io.out.write('confirmed\nsaved\n')
    return EXIT.ok
  }
  if (view?.error === 'already_bound') {
    // what is stored goes on to be valid
    io.out.write('saved\n')
    return EXIT.ok
  }
  return printFailure(view === null ? 'expired' : toWeixinEndWord(view), io)
}

/** Loads the setup; `null` if the service no longer knows it. */
async function loadWeixinSetup(
  client: ApiClient,
  id: string,
  version: number,
  waitSeconds: number,
): Promise<SetupView | null> {
  try {
    return await client.setup('weixin', id, { version, waitSeconds })
  } catch (error) {
    if (error instanceof CliError && error.code === 'unknown_setup') return null
    throw error
  }
}

const WEIXIN_END_WORDS: Readonly<Record<string, string>> = { stale_session: 'stale-session', expired: 'expired' }
const toWeixinEndWord = ({ error, message }: SetupView): string => WEIXIN_END_WORDS[error ?? ''] ?? message

function printFailure(word: string, io: Io): ExitCode {
  io.out.write(`${word}\n`)
  return EXIT.failed
}

/** An interface for programs that set up one platform: fixed words on standard output, and exit codes. */
export interface HelperMode {
  readonly platform: string
  isAsked(args: Omit<SetupArgs, 'platform'>): boolean
  run(args: SetupArgs, io: Io): Promise<ExitCode>
}

/** How long to wait until the bot joins a server, in milliseconds. */
const WATCH_MS = 10 * 60 * 1_000
const DISCORD_POLL_SECONDS = 20
const TOKEN_BYTES = 4096

/** Prints the portal's URL, checks a token, prints the invite URL, and waits until the bot joins a server. */
export const discordMode: HelperMode = {
  platform: 'discord',
  isAsked: ({ portalUrl, validate, inviteUrl, watchGuild }) =>
    portalUrl || validate !== undefined || inviteUrl !== undefined || watchGuild,
  async run(args, io) {
    const { validate, inviteUrl } = args
    if (args.portalUrl) return printLine((await import('@gatepost/channels')).DISCORD_PORTAL_URL, io)
    if (inviteUrl !== undefined) return printLine(await discordInvitation(inviteUrl), io)
    if (validate !== undefined) return validateDiscordToken(args, validate, io)
    return watchDiscordGuild(args, io)
  },
}

function printLine(text: string, io: Io): ExitCode {
  io.out.write(`${text}\n`)
  return EXIT.ok
}

/** Returns the invite URL. @throws {CliError} `usage` if the application id is invalid */
async function discordInvitation(appId: string): Promise<string> {
  if (!/^\d{1,20}$/.test(appId)) throw usageError('An application id must be a number.')
  const { discordInviteUrl } = await import('@gatepost/channels')
  return discordInviteUrl(appId)
}

/** Checks and saves the token, and prints `{bot_id, username}`. The channel starts. */
async function validateDiscordToken(args: SetupArgs, given: string, io: Io): Promise<ExitCode> {
  const token = (given === '-' ? await io.readInput(TOKEN_BYTES) : given).trim()
  const client = await connect(args, io)
  const { bot } = await client.test('discord', { bot_token: token })
  await client.save('discord', { bot_token: token })
  await waitRunning(client, 'discord', io)
  return printLine(JSON.stringify({ bot_id: bot.id, username: bot.name }), io)
}

/** Prints `{guild_id, guild_name, total}` once the bot has joined a server. */
async function watchDiscordGuild(args: SetupArgs, io: Io): Promise<ExitCode> {
  const client = await connect(args, io)
  const untilMs = io.clock.now() + WATCH_MS
  let view = await client.startSetup('discord', 'invite')
  while (view.state !== 'done' && view.state !== 'failed') {
    const leftSeconds = Math.floor((untilMs - io.clock.now()) / 1_000)
    if (leftSeconds <= 0 || io.signal.aborted) break
    const waitSeconds = Math.min(DISCORD_POLL_SECONDS, leftSeconds)
    view = await client.setup('discord', view.id, { version: view.version, waitSeconds })
  }
  if (view.state === 'done' && 'guild_id' in view.facts) return printLine(JSON.stringify(view.facts), io)
  if (view.state === 'failed') throw new CliError(view.error ?? 'setup_failed', view.message)
  throw new CliError('timed_out', 'timed out: the bot is in no server yet.')
}

/**
 * Prints `SCAN_URL:<url>` and `EXPIRE_IN:<seconds>`, then `APP_ID:<id>` and `APP_SECRET:<secret>` for the caller to save.
 * Calls the platform directly, because the service never returns a secret.
 */
export const feishuMode: HelperMode = {
  platform: 'feishu',
  isAsked: ({ background }) => background,
  async run(_args, io) {
    const { runSetup, SetupFailure } = await import('@gatepost/channels')
    const { hosts } = await loadConfiguration(io.env)
    const quiet = (): void => undefined
    const platformIo = {
      fetch: io.fetch,
      clock: io.clock,
      random: Math.random,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      host: (setting: string, fallback: string) => hosts[setting] ?? fallback,
    }
    let shown = ''
    const show = ({ url, expiresAtMs }: { url?: string; expiresAtMs?: number }): void => {
      if (url === undefined || url === shown) return
      shown = url
      const seconds = Math.round(((expiresAtMs ?? io.clock.now()) - io.clock.now()) / 1_000)
      io.out.write(`SCAN_URL:${url}\nEXPIRE_IN:${seconds}\n`)
    }
    try {
      const found = await runSetup({ platform: 'feishu', kind: 'qr', io: platformIo, show }, io.signal)
      const [id, secret] = [found?.['app_id'], found?.['app_secret']]
      if (!isWord(id) || !isWord(secret)) throw new CliError('setup_failed', "Feishu didn't return credentials.")
      io.out.write(`APP_ID:${id}\nAPP_SECRET:${secret}\n`)
      return EXIT.ok
    } catch (error) {
      if (error instanceof SetupFailure) throw new CliError(error.code, error.message, { cause: error })
      throw error
    }
  },
}

/** Whether the value fits on one output line. */
const isWord = (value: unknown): value is string => typeof value === 'string' && /^\S+$/.test(value)

/** How long one `--poll` waits for a scan, in seconds. */
const DINGTALK_POLL_SECONDS = 25
/** Time limit for the scan, in milliseconds. */
const DINGTALK_SCAN_TIMEOUT_MS = 300_000
/** Exit code for "not scanned yet". Fixed by the contract; the same as for wrong usage. */
const NOT_YET: ExitCode = EXIT.usage

/** `--print-qr` ends with a line `{qr_url, device_code, expires_in}`; `--poll <device_code>` exits 0, 2 or 1. */
export const dingtalkMode: HelperMode = {
  platform: 'dingtalk',
  isAsked: ({ printQr, poll }) => printQr || poll !== undefined,
  run: (args, io) =>
    args.poll === undefined ? printDingtalkQr(args, io) : pollDingtalk(args, args.poll, io).catch(asFailed),
}

/** Rethrows with exit code 1, because callers that poll take 2 for "not yet". */
function asFailed(error: unknown): never {
  if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
  const { spoken, hints } = error
  throw new CliError(error.code, error.message, { spoken, hints, cause: error })
}

async function printDingtalkQr(args: SetupArgs, io: Io): Promise<ExitCode> {
  const { id, url, expires_at, message } = await (await connect(args, io)).startSetup('dingtalk', 'qr')
  if (url === undefined) throw new CliError('setup_failed', message)
  const { terminalQr } = await import('./terminal-qr.ts')
  if (io.out.isTty) io.out.write(terminalQr(url))
  const expires_in = Math.round(((expires_at ?? io.clock.now()) - io.clock.now()) / 1_000)
  io.out.write(`${JSON.stringify({ qr_url: url, device_code: id, expires_in })}\n`)
  return EXIT.ok
}

async function pollDingtalk(args: SetupArgs, code: string, io: Io): Promise<ExitCode> {
  const client = await connect(args, io)
  let view: SetupView
  try {
    view = await client.setup('dingtalk', code, { version: 0, waitSeconds: 0 })
    if (isUnderWay(view)) {
      view = await client.setup('dingtalk', code, { version: view.version, waitSeconds: DINGTALK_POLL_SECONDS })
    }
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'unknown_setup') throw error
    return printWord('expired', EXIT.failed, io)
  }
  if (view.state === 'done') return printWord('configured', EXIT.ok, io)
  if (view.state === 'failed') return printWord(view.error === 'expired' ? 'expired' : view.message, EXIT.failed, io)
  if (io.clock.now() - view.started_at < DINGTALK_SCAN_TIMEOUT_MS) return printWord('WAITING', NOT_YET, io)
  await client.cancelSetup('dingtalk', code)
  return printWord('WAITING_TIMEOUT', EXIT.failed, io)
}

const isUnderWay = ({ state }: SetupView): boolean => state !== 'done' && state !== 'failed'

function printWord(word: string, code: ExitCode, io: Io): ExitCode {
  io.out.write(`${word}\n`)
  return code
}
