import { isUnavailable } from '@gatepost/sql'
import { z } from 'zod'
import type { ChannelPlatform, Credentials } from '../bound-platform.ts'
import type { StoredChannel } from '../config/credential-store.ts'
import { ChannelError } from '../errors.ts'
import type { PlatformIo } from '../platform-io.ts'
import type { ChannelCheck } from '../platform.ts'
import { ownState, type OwnState } from './own-state.ts'

interface DiagnoseOptions {
  readonly platform: ChannelPlatform
  readonly io: PlatformIo
  readonly read: () => Promise<StoredChannel | undefined>
  /** What the service knows of the channel: asked for only when credentials are there. */
  readonly own: () => Promise<OwnState>
  /** What the key of every bot of this channel begins with: `<account>/<platform>/`. */
  readonly bots: string
  /** The lines of today; `null`: there is no log file. */
  readonly log: () => AsyncIterable<string> | null
  readonly signal: AbortSignal
}

/** Longest that a platform may take, in milliseconds; then it is told, and may still say what it knows. */
const PATIENCE_MS = 30_000
const LAST_WORDS_MS = 1_000

/** The checks that every platform has, then its own. A check that cannot be made is a failing check. */
export async function diagnoseChannel(options: DiagnoseOptions): Promise<readonly ChannelCheck[]> {
  const { platform } = options
  const { check: readable, stored: channel } = await readableCheck('Credentials file can be read', options.read)
  if (readable.status === 'fail') return [readable]
  if (!channel) {
    const detail = `Nothing is stored for ${platform.label}.`
    return [
      readable,
      {
        id: 'credentials_present',
        title: 'Credentials are stored',
        status: 'fail',
        detail,
        remedy: SET_UP(platform),
        fix: { kind: 'set_up' },
      },
    ]
  }
  const keys = requiredKeys(platform, channel)
  if (keys.status === 'fail') return [readable, keys]
  const credentials = platform.read(channel.credentials)
  let isRunning = false
  const known = async (): Promise<readonly ChannelCheck[]> => {
    const own = await options.own()
    isRunning = own.details.running
    return ownState(own)
  }
  const [own, remote] = await Promise.all([
    made(options, { id: 'own_state', title: 'The service knows the channel' }, known),
    made(options, { id: 'platform_checks', title: `${platform.label} can be examined` }, () =>
      examined(options, credentials),
    ),
  ])
  return [readable, keys, ...own, ...remote, await logCheck(options, options.bots + credentials.identity, isRunning)]
}

/** Whether what is stored can be read, and what it is. */
export async function readableCheck<T>(
  title: string,
  read: () => Promise<T>,
): Promise<{ readonly check: ChannelCheck; readonly stored?: T }> {
  const base = { id: 'config_readable', title } as const
  try {
    return { check: { ...base, status: 'pass', detail: 'It can.' }, stored: await read() }
  } catch (error) {
    if (isUnavailable(error)) return { check: { ...base, status: 'fail', detail: NO_DATABASE, remedy: MEND_DATABASE } }
    if (!(error instanceof ChannelError)) throw error
    const remedy = 'Mend the file at the place named here, or move it away and set the channel up again.'
    return { check: { ...base, status: 'fail', detail: error.message, remedy } }
  }
}

const NO_DATABASE = 'The database does not answer.'

/** What to do about a database that does not answer. */
export const MEND_DATABASE = 'Start the database that GATEPOST_DATABASE_URL names, or free the data folder.'

async function made(
  { io, platform }: DiagnoseOptions,
  base: Pick<ChannelCheck, 'id' | 'title'>,
  make: () => Promise<readonly ChannelCheck[]>,
): Promise<readonly ChannelCheck[]> {
  try {
    return await make()
  } catch (error) {
    if (isUnavailable(error)) return [{ ...base, status: 'fail', detail: NO_DATABASE, remedy: MEND_DATABASE }]
    io.log.error('A check could not be made', { platform: platform.id, check: base.id, error })
    const detail = 'The check failed in an unforeseen way.'
    return [{ ...base, status: 'fail', detail, remedy: 'Look into the log of the server.' }]
  }
}

/** The platform's own checks: also one that does not listen to its signal keeps nobody waiting. */
async function examined(
  { io, platform, signal }: DiagnoseOptions,
  credentials: Credentials,
): Promise<readonly ChannelCheck[]> {
  const limit = new AbortController()
  const done = new AbortController()
  void io.clock.sleep(PATIENCE_MS, done.signal).then(() => limit.abort())
  const hung = io.clock.sleep(PATIENCE_MS + LAST_WORDS_MS, done.signal).then((): readonly ChannelCheck[] => {
    const title = `${platform.label} can be examined`
    const remedy = 'Check the network, then try again.'
    return [{ id: 'platform_checks', title, status: 'fail', detail: 'It did not answer in time.', remedy }]
  })
  try {
    return await Promise.race([credentials.diagnose(io, AbortSignal.any([signal, limit.signal])), hung])
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
    return await todaysLog(platform, bot, log(), isRunning)
  } catch (error) {
    io.log.warn('The log of today cannot be read', { error })
    const remedy = 'Give the log folder to the user that runs Gatepost.'
    return { id: 'log_today', title: "Today's log", status: 'warn', detail: 'It cannot be read.', remedy }
  }
}

const SET_UP = (platform: ChannelPlatform): string => `Run: npx gatepost setup ${platform.id}`

function requiredKeys(platform: ChannelPlatform, channel: StoredChannel): ChannelCheck {
  const base = { id: 'credentials_present', title: 'Required credentials are not empty' } as const
  try {
    const given = Object.keys(platform.read(channel.credentials).stored)
    return { ...base, status: 'pass', detail: given.join(', ') }
  } catch {
    // the reason would quote the value, which may be a secret
    const detail = `One of ${platform.fields.join(', ')} is missing or does not have the right form.`
    return { ...base, status: 'fail', detail, remedy: SET_UP(platform), fix: { kind: 'set_up' } }
  }
}

/** What a line of the log says of a channel's connection. */
interface LogWord {
  readonly atMs: number
  readonly ok: boolean
  readonly why: string
}

const lineSchema = z.looseObject({
  time: z.string(),
  msg: z.literal('Channel state'),
  bot: z.string(),
  state: z.string(),
  reason: z.string().nullable().optional(),
  why: z.string().nullable().optional(),
})
/** States that say something about the credentials. */
const SUCCESS: ReadonlySet<string> = new Set(['running', 'degraded'])
const FAILURE: ReadonlySet<string> = new Set(['rejected', 'stopped'])

/**
 * Searches today's log for the newest success or authentication failure of a bot.
 * @param lines   JSON lines, oldest first; others are passed over. `null`: there is no log file.
 * @param running Whether it receives now: it may have done so since before midnight.
 */
export async function todaysLog(
  platform: ChannelPlatform,
  bot: string,
  lines: AsyncIterable<string> | null,
  running: boolean,
): Promise<ChannelCheck> {
  const base = { id: 'log_today', title: "Today's log" } as const
  const remedy = `Run: npx gatepost status ${platform.id}`
  if (lines === null) return { ...base, status: 'warn', detail: 'There is no log file of today.', remedy }
  let last: LogWord | null = null
  for await (const line of lines) last = wordOf(line, bot) ?? last
  if (last?.ok === false && !running)
    return { ...base, status: 'fail', detail: `The last word is a failure: ${last.why}`, at: last.atMs, remedy }
  if (last?.ok) return { ...base, status: 'pass', detail: 'The last word is that it connected.', at: last.atMs }
  if (running) return { ...base, status: 'pass', detail: 'No failure; it has been connected since before.' }
  return { ...base, status: 'warn', detail: 'It says nothing of this channel.', remedy }
}

function wordOf(line: string, bot: string): LogWord | null {
  // most lines are others: parsing them all would take its time
  if (!line.includes('"Channel state"') || !line.includes(bot)) return null
  const parsed = lineSchema.safeParse(jsonOf(line))
  if (!parsed.success || parsed.data.bot !== bot) return null
  const { state, time, why, reason } = parsed.data
  const atMs = Date.parse(time)
  if (SUCCESS.has(state)) return { atMs, ok: true, why: '' }
  return FAILURE.has(state) ? { atMs, ok: false, why: why ?? reason ?? state } : null
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // a line that the process was killed over
    return null
  }
}
