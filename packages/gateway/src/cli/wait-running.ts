import { botName, reasonText, stateCell } from './channel-view.ts'
import { PROGRAM } from './command.ts'
import { EXIT, type ExitCode } from './exit-code.ts'
import { paletteOf } from './text.ts'
import type { ApiClient } from './api.ts'
import type { ChannelDetails } from '@gatepost/channels'
import type { Io } from './io.ts'

const EVERY_MS = 250
/** States that pass by themselves within seconds. */
const PASSING: ReadonlySet<string> = new Set(['stopped', 'connecting'])

/** Asks until the channel receives, or is in a state that does not pass by itself, or `withinMs` are over. */
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

/** Waits until the channel receives and says so; exit code 1 when it does not. */
export async function reportRunning(client: ApiClient, platform: string, io: Io): Promise<ExitCode> {
  const details = await waitRunning(client, platform, io)
  io.out.write(`${runningText(details, io)}\n`)
  if (details.state === 'rejected') io.err.write(`Run: ${PROGRAM} setup ${details.platform}\n`)
  return details.running ? EXIT.ok : EXIT.failed
}

/** One line: the platform, its state, the bot or the reason. */
export function runningText(details: ChannelDetails, io: Io): string {
  const palette = paletteOf(io.out)
  const cell = stateCell(details, details, palette)
  const state = typeof cell === 'string' ? cell : cell.paint(cell.text)
  const bot = botName(details)
  const reason = reasonText(details, io.clock.now())
  return `${palette.bold(details.platform)} is ${state}${bot ? ` as ${bot}` : ''}${reason ? `: ${reason}` : ''}`
}
