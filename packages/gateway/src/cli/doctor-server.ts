import { CliError, EXIT } from './exit-code.ts'
import type { ApiClient } from './api.ts'
import type { Diagnosis } from '@gatepost/channels'
import type { Io } from './io.ts'

const TIMEOUT_MS = 10_000
const MAX_SKEW_MS = 60_000

/** Whether the server answers, accepts the token, and has the same time. Never throws for a failing server. */
export async function serverChecks(client: ApiClient, io: Io): Promise<readonly Diagnosis[]> {
  const reached = { id: 'server_reachable', title: 'Server' } as const
  let date: string | null
  try {
    const signal = AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)])
    const response = await io.fetch(`${client.url}/healthz`, { signal, redirect: 'manual' })
    await response.body?.cancel()
    if (!response.ok) {
      const detail = `/healthz answers with status ${response.status}`
      return [{ ...reached, status: 'fail', detail, remedy: LOOK_AT_LOG }]
    }
    date = response.headers.get('date')
  } catch {
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    const remedy = 'Start it with npm start, or name another address with --url.'
    return [{ ...reached, status: 'fail', detail: `nothing answers at ${client.url}`, remedy }]
  }
  return [
    { ...reached, status: 'pass', detail: 'answers' },
    ...(await tokenChecks(client)),
    clockCheck(date, io.clock.now()),
  ]
}

/** Whether the token is accepted, and the channels can be read with it. */
async function tokenChecks(client: ApiClient): Promise<readonly Diagnosis[]> {
  const check = { id: 'token_accepted', title: 'Owner token' } as const
  const accepted: Diagnosis = { ...check, status: 'pass', detail: 'accepted' }
  try {
    await client.list()
    return [accepted]
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
    const { spoken: detail } = error
    if (error.exit === EXIT.unauthorized) {
      const remedy = 'Use the GATEPOST_DATA_DIR of the server, or set GATEPOST_TOKEN.'
      return [{ ...check, status: 'fail', detail, remedy }]
    }
    const channels = { id: 'channels_readable', title: 'Channels' } as const
    return [accepted, { ...channels, status: 'fail', detail, remedy: REMEDIES[error.code] ?? LOOK_AT_LOG }]
  }
}

const LOOK_AT_LOG = 'Look into the log of the server.'
const REMEDIES: Readonly<Record<string, string>> = {
  config_broken: 'Mend the file at the place named here, or move it away and set the channels up again.',
  unexpected_answer: 'Check the address: something else answers there.',
}

/** @param date The server's `Date` header, in whole seconds. */
function clockCheck(date: string | null, nowMs: number): Diagnosis {
  const check = { id: 'clock', title: 'Clock' } as const
  const server = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(server)) return { ...check, status: 'warn', detail: 'the server does not say what time it is' }
  const seconds = Math.round(Math.abs(nowMs - server) / 1000)
  if (seconds * 1000 <= MAX_SKEW_MS) return { ...check, status: 'pass', detail: 'the same here and there' }
  const remedy = 'Set both clocks by a time server (NTP): platforms refuse what comes from another time.'
  return { ...check, status: 'fail', detail: `the server's clock differs by ${seconds} s`, remedy }
}
