import { PROGRAM } from './command.ts'
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
      return [{ ...reached, status: 'fail', detail, remedy: 'Look into the log of the server, and check the address.' }]
    }
    date = response.headers.get('date')
  } catch {
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })
    const remedy = 'Start it with npm start, or name another address with --url.'
    return [{ ...reached, status: 'fail', detail: `nothing answers at ${client.url}`, remedy }]
  }
  return [{ ...reached, status: 'pass', detail: 'answers' }, await tokenCheck(client), clockCheck(date, io.clock.now())]
}

async function tokenCheck(client: ApiClient): Promise<Diagnosis> {
  const check = { id: 'token_accepted', title: 'Owner token' } as const
  try {
    await client.list()
    return { ...check, status: 'pass', detail: 'accepted' }
  } catch (error) {
    if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
    const remedy =
      error.exit === EXIT.unauthorized
        ? 'Use the GATEPOST_DATA_DIR of the server, or set GATEPOST_TOKEN.'
        : (error.hints[0] ?? `Run: ${PROGRAM} status`)
    return { ...check, status: 'fail', detail: error.message, remedy }
  }
}

/** @param date The server's `Date` header, in whole seconds. */
function clockCheck(date: string | null, nowMs: number): Diagnosis {
  const check = { id: 'clock', title: 'Clock' } as const
  const server = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(server)) return { ...check, status: 'info', detail: 'the server does not say what time it is' }
  const seconds = Math.round(Math.abs(nowMs - server) / 1000)
  if (seconds * 1000 <= MAX_SKEW_MS) return { ...check, status: 'pass', detail: 'the same here and there' }
  const remedy = 'Set both clocks by a time server (NTP): platforms refuse what comes from another time.'
  return { ...check, status: 'fail', detail: `the server's clock differs by ${seconds} s`, remedy }
}
