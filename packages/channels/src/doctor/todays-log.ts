import { z } from 'zod'
import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelCheck } from '../platform.ts'

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
