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
