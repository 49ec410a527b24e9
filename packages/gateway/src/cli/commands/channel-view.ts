import type { ChannelDetails, ChannelEntry, ChannelState } from '@gatepost/channels'
import type { ApiClient } from '../api.ts'
import { PROGRAM } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { relativeTime, cutId, createPalette, plainLine, type Palette, type Cell } from '../text.ts'

const textIn = (entry: ChannelEntry, field: string): string | undefined => {
  const value = entry[field]
  return typeof value === 'string' && value !== '' ? plainLine(value) : undefined
}

/** Returns the ids that the bot replies to; `undefined` if the platform has no such rule. */
export function allowedUsers(entry: ChannelEntry): readonly string[] | undefined {
  const value = entry['allowed_users']
  return Array.isArray(value) ? value.map((id) => plainLine(String(id))) : undefined
}

/** Returns the platform's own fields for display: ids shortened, tokens only as `set` or `none`. */
export function ownFields(entry: ChannelEntry): readonly (readonly [name: string, value: string])[] {
  const fields: (readonly [string, string])[] = []
  const add = (name: string, value: string | undefined): void => void (value && fields.push([name, value]))
  const id = (field: string): string | undefined => {
    const value = textIn(entry, field)
    return value && cutId(value)
  }
  add('App id', id('app_id'))
  add('Client id', id('client_id'))
  add('Bot id', textIn(entry, 'bot_id'))
  if (typeof entry['has_token'] === 'boolean') add('Token', entry['has_token'] ? 'set' : 'none')
  add('Domain', textIn(entry, 'domain'))
  add('Base URL', textIn(entry, 'base_url'))
  add('Parse mode', textIn(entry, 'parse_mode'))
  const allowed = allowedUsers(entry)
  if (allowed) add('Replies to', allowed.length === 0 ? 'everyone' : `only ${allowed.join(', ')}`)
  return fields
}

const STATES: Readonly<Record<ChannelState, { text: string; colour: 'green' | 'yellow' | 'red' | 'dim' }>> = {
  stopped: { text: 'disabled', colour: 'dim' },
  connecting: { text: 'connecting', colour: 'yellow' },
  running: { text: 'running', colour: 'green' },
  degraded: { text: 'needs attention', colour: 'yellow' },
  backing_off: { text: 'retrying', colour: 'yellow' },
  standby: { text: 'standby', colour: 'yellow' },
  rejected: { text: 'rejected', colour: 'red' },
}

/** Returns the state in words, from the entry alone if there are no details. */
export function stateCell(entry: ChannelEntry, details: ChannelDetails | undefined, palette: Palette): Cell {
  if (!entry.has_config) return { text: 'not set up', paint: palette.dim }
  if (!entry.enabled) return { text: 'disabled', paint: palette.dim }
  if (details) {
    const { text, colour } = STATES[details.state] ?? { text: plainLine(details.state), colour: 'yellow' }
    return { text: entry.enabled && details.state === 'stopped' ? 'stopped' : text, paint: palette[colour] }
  }
  return entry.running ? { text: 'running', paint: palette.green } : { text: 'not running', paint: palette.yellow }
}

/** Returns the reason for the state and the time of the next attempt; empty if there is neither. */
export function reasonText(details: ChannelDetails, nowMs: number): string {
  const why = plainLine(details.message ?? details.reason ?? '')
  const retry = details.retry_at === null ? '' : `next attempt ${relativeTime(details.retry_at, nowMs)}`
  return [why, retry].filter(Boolean).join('; ')
}

/** Returns the bot's name, or its id. An id that is also the app id or client id is shortened like those. */
export function botName(details: ChannelDetails): string | undefined {
  if (!details.bot) return undefined
  const name = plainLine(details.bot.name || details.bot.id)
  return name === textIn(details, 'app_id') || name === textIn(details, 'client_id') ? cutId(name) : name
}

const EVERY_MS = 250
/** States that end within seconds. */
const PASSING: ReadonlySet<string> = new Set(['stopped', 'connecting'])

/** Polls until the channel is running, in a lasting state, or `withinMs` have passed. */
export async function waitRunning(
  client: ApiClient,
  platform: string,
  io: Io,
  withinMs = 20_000,
): Promise<ChannelDetails> {
  const until = io.clock.now() + withinMs
  for (;;) {
    const details = await client.details(platform)
    if (details.running || !PASSING.has(details.state) || io.clock.now() >= until || io.signal.aborted) return details
    await io.clock.sleep(EVERY_MS, io.signal)
  }
}

/** Waits until the channel is running and prints its state. Returns exit code 1 if it isn't running. */
export async function reportRunning(client: ApiClient, platform: string, io: Io): Promise<ExitCode> {
  const details = await waitRunning(client, platform, io)
  io.out.write(`${runningText(details, io)}\n`)
  if (details.state === 'rejected') io.err.write(`Run: ${PROGRAM} setup ${details.platform}\n`)
  return details.running ? EXIT.ok : EXIT.failed
}

/** Formats one line: the platform, its state, the bot, the reason. */
export function runningText(details: ChannelDetails, io: Io): string {
  const palette = createPalette(io.out)
  const cell = stateCell(details, details, palette)
  const state = typeof cell === 'string' ? cell : cell.paint(cell.text)
  const bot = botName(details)
  const reason = reasonText(details, io.clock.now())
  return `${palette.bold(details.platform)} is ${state}${bot ? ` as ${bot}` : ''}${reason ? `: ${reason}` : ''}`
}
