import { isUnavailable } from '@gatepost/sql'
import { z } from 'zod'
import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import type { StoredChannel } from '../config/credential-store.ts'
import { CHANNEL_ERRORS, ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { ChannelCheck } from '../platform.ts'
import { toFinding } from './findings.ts'
import { runOwnChecks, type OwnState } from './own-state.ts'

interface DiagnoseOptions {
  readonly platform: ChannelPlatform
  readonly io: PlatformIo
  /** Returns the I/O for these credentials. */
  readonly ioFor: (credentials: Credentials) => PlatformIo
  readonly read: () => Promise<StoredChannel | undefined>
  /** Returns the channel's own state; called only when there are credentials. */
  readonly own: () => Promise<OwnState>
  /** Prefix of the key of every bot of this channel: `<account>/<platform>/`. */
  readonly bots: string
  /** Returns the lines of today's log; `null`: no log file. */
  readonly log: () => AsyncIterable<string> | null
  readonly signal: AbortSignal
}

/** Timeout for a platform's checks, in milliseconds, and the time left afterwards to return what it has found. */
const PLATFORM_TIMEOUT_MS = 30_000
const FINAL_GRACE_MS = 1_000

/** Runs the common checks, then the platform's own. A check that cannot run counts as failed. */
export async function diagnoseChannel(options: DiagnoseOptions): Promise<readonly ChannelCheck[]> {
  const { platform } = options
  const { check: readable, stored: channel } = await readableCheck('Credentials file is readable', options.read)
  if (readable.status === 'fail') return [readable]
  if (!channel) {
    return [
      readable,
      {
        id: 'credentials_present',
        title: 'Credentials are stored',
        status: 'fail',
        ...toFinding('no_credentials', { platform: platform.label }),
        remedy: setupCommand(platform),
        fix: { kind: 'set_up' },
      },
    ]
  }
  const keys = requiredKeys(platform, channel)
  if (keys.status === 'fail') return [readable, keys]
  const credentials = platform.read(channel.credentials)
  let isRunning = false
  const loadOwnChecks = async (): Promise<readonly ChannelCheck[]> => {
    const own = await options.own()
    isRunning = own.details.running
    return runOwnChecks(own)
  }
  const [own, remote] = await Promise.all([
    runChecks(options, { id: 'own_state', title: "Channel's own state" }, loadOwnChecks),
    runChecks(options, { id: 'platform_checks', title: `${platform.label} checks completed` }, () =>
      runPlatformChecks(options, credentials),
    ),
  ])
  return [readable, keys, ...own, ...remote, await logCheck(options, options.bots + credentials.identity, isRunning)]
}

/** Reads stored channels and returns them with the check for it. */
export async function readableCheck<T>(
  title: string,
  read: () => Promise<T>,
): Promise<{ readonly check: ChannelCheck; readonly stored?: T }> {
  const base = { id: 'config_readable', title } as const
  try {
    return { check: { ...base, status: 'pass', ...toFinding('config_readable') }, stored: await read() }
  } catch (error) {
    if (isUnavailable(error))
      return {
        check: { ...base, status: 'fail', ...toFinding('database_unavailable'), remedy: MEND_DATABASE },
      }
    if (!(error instanceof ChannelError)) throw error
    const finding = toFinding('config_broken', { message: error.message })
    return { check: { ...base, status: 'fail', ...finding, remedy: CHANNEL_ERRORS.config_broken.remedy } }
  }
}

/** Remedy for an unresponsive database. */
export const MEND_DATABASE =
  'Start the database in GATEPOST_DATABASE_URL, or close whatever has locked the data folder.'

async function runChecks(
  { io, platform }: DiagnoseOptions,
  base: Pick<ChannelCheck, 'id' | 'title'>,
  make: () => Promise<readonly ChannelCheck[]>,
): Promise<readonly ChannelCheck[]> {
  try {
    return await make()
  } catch (error) {
    if (isUnavailable(error))
      return [{ ...base, status: 'fail', ...toFinding('database_unavailable'), remedy: MEND_DATABASE }]
    io.log.error("Couldn't run a check", { platform: platform.id, check: base.id, error })
    return [{ ...base, status: 'fail', ...toFinding('check_failed'), remedy: 'Check the server log.' }]
  }
}

/** Runs the platform's own checks with a timeout, even if it ignores its signal. */
async function runPlatformChecks(
  { io, ioFor, platform, signal }: DiagnoseOptions,
  credentials: Credentials,
): Promise<readonly ChannelCheck[]> {
  const limit = new AbortController()
  const done = new AbortController()
  void io.clock.sleep(PLATFORM_TIMEOUT_MS, done.signal).then(() => limit.abort())
  const timedOut = io.clock
    .sleep(PLATFORM_TIMEOUT_MS + FINAL_GRACE_MS, done.signal)
    .then((): readonly ChannelCheck[] => {
      const title = `${platform.label} checks completed`
      const remedy = 'Check the network, then try again.'
      return [{ id: 'platform_checks', title, status: 'fail', ...toFinding('check_timed_out'), remedy }]
    })
  try {
    const checks = credentials.diagnose(ioFor(credentials), AbortSignal.any([signal, limit.signal]))
    return await Promise.race([checks, timedOut])
  } finally {
    done.abort()
  }
}

async function logCheck(
  { io, platform, log }: DiagnoseOptions,
  bot: string,
  isRunning: boolean,
): Promise<ChannelCheck> {
  try {
    return await checkTodaysLog(platform, bot, log(), isRunning)
  } catch (error) {
    io.log.warn("Couldn't read today's log", { error })
    const remedy = 'Make the log folder readable for the user that runs Gatepost.'
    return { id: 'log_today', title: "Today's log", status: 'warn', ...toFinding('log_unreadable'), remedy }
  }
}

const setupCommand = (platform: ChannelPlatform): string => `Run: npx gatepost setup ${platform.id}`

function requiredKeys(platform: ChannelPlatform, channel: StoredChannel): ChannelCheck {
  const base = { id: 'credentials_present', title: 'Required credentials are present' } as const
  try {
    const given = Object.keys(platform.read(channel.credentials).stored)
    return { ...base, status: 'pass', ...toFinding('credentials_complete', { fields: given }) }
  } catch {
    // the cause would quote the value, which may be a secret
    const finding = toFinding('credentials_incomplete', { fields: platform.fields })
    return { ...base, status: 'fail', ...finding, remedy: setupCommand(platform), fix: { kind: 'set_up' } }
  }
}

/** A log entry about a channel's connection. */
interface LogEntry {
  readonly atMs: number
  readonly ok: boolean
  /** Code of the failure. */
  readonly reason: string | null
  readonly words: string
}

const lineSchema = z.looseObject({
  time: z.string(),
  msg: z.literal('Channel state'),
  bot: z.string(),
  state: z.string(),
  reason: z.string().nullable().optional(),
  why: z.string().nullable().optional(),
})
/** States that show whether the credentials work. */
const SUCCESS: ReadonlySet<string> = new Set(['running', 'degraded'])
const FAILURE: ReadonlySet<string> = new Set(['rejected', 'stopped'])

/**
 * Searches today's log for a bot's latest successful connection or authentication failure.
 * @param lines   JSON lines, oldest first; others are skipped. `null`: no log file.
 * @param running Whether it is connected now, perhaps since before midnight.
 */
export async function checkTodaysLog(
  platform: ChannelPlatform,
  bot: string,
  lines: AsyncIterable<string> | null,
  running: boolean,
): Promise<ChannelCheck> {
  const base = { id: 'log_today', title: "Today's log" } as const
  const remedy = `Run: npx gatepost status ${platform.id}`
  if (lines === null) return { ...base, status: 'warn', ...toFinding('no_log'), remedy }
  let last: LogEntry | null = null
  for await (const line of lines) last = parseLogLine(line, bot) ?? last
  if (last?.ok === false && !running) {
    const { reason, words, atMs: at } = last
    return { ...base, status: 'fail', ...toFinding('log_failure', { reason, words }), at, remedy }
  }
  if (last?.ok) return { ...base, status: 'pass', ...toFinding('log_connected'), at: last.atMs }
  if (running) return { ...base, status: 'pass', ...toFinding('log_without_failures') }
  return { ...base, status: 'warn', ...toFinding('log_without_entries'), remedy }
}

function parseLogLine(line: string, bot: string): LogEntry | null {
  // most lines are unrelated: parsing all of them would be slow
  if (!line.includes('"Channel state"') || !line.includes(bot)) return null
  const parsed = lineSchema.safeParse(parseJsonLine(line))
  if (!parsed.success || parsed.data.bot !== bot) return null
  const { state, time, why, reason } = parsed.data
  const atMs = Date.parse(time)
  if (SUCCESS.has(state)) return { atMs, ok: true, reason: null, words: '' }
  return FAILURE.has(state) ? { atMs, ok: false, reason: reason ?? null, words: why ?? reason ?? state } : null
}

function parseJsonLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // a line cut off when the process was killed
    return null
  }
}
