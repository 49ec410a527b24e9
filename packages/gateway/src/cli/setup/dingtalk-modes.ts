import { connect } from '../api.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import type { SetupView } from '@gatepost/channels'
import type { Io } from '../io.ts'
import type { SetupArgs } from './args.ts'
import type { HelperMode } from './helper-mode.ts'

/** What one `--poll` waits for a scan, in seconds, before it says that there was none yet. */
const LOOK_SECONDS = 25
/** Who has not scanned by then is to start again, in milliseconds. */
const PATIENCE_MS = 300_000
/** Not scanned yet: the contract's own exit code, which is also that of a wrong command line. */
const NOT_YET: ExitCode = EXIT.usage

/** `--print-qr` ends with a line `{qr_url, device_code, expires_in}`; `--poll <device_code>` exits 0, 2 or 1. */
export const dingtalkMode: HelperMode = {
  platform: 'dingtalk',
  isAsked: ({ printQr, poll }) => printQr || poll !== undefined,
  run: (args, io) => (args.poll === undefined ? printQr(args, io) : poll(args, args.poll, io).catch(asFailed)),
}

/** Whoever asks again at every 2 must not take a failure for "not yet". */
function asFailed(error: unknown): never {
  if (!(error instanceof CliError) || error.exit === EXIT.interrupted) throw error
  const { spoken, hints } = error
  throw new CliError(error.code, error.message, { spoken, hints, cause: error })
}

async function printQr(args: SetupArgs, io: Io): Promise<ExitCode> {
  const { id, url, expires_at, message } = await (await connect(args, io)).startSetup('dingtalk', 'qr')
  if (url === undefined) throw new CliError('setup_failed', message)
  const { terminalQr } = await import('./terminal-qr.ts')
  if (io.out.isTty) io.out.write(terminalQr(url))
  const expires_in = Math.round(((expires_at ?? io.clock.now()) - io.clock.now()) / 1_000)
  io.out.write(`${JSON.stringify({ qr_url: url, device_code: id, expires_in })}\n`)
  return EXIT.ok
}

async function poll(args: SetupArgs, code: string, io: Io): Promise<ExitCode> {
  const client = await connect(args, io)
  let view: SetupView
  try {
    view = await client.setup('dingtalk', code, { version: 0, waitSeconds: 0 })
    if (isUnderWay(view)) {
      view = await client.setup('dingtalk', code, { version: view.version, waitSeconds: LOOK_SECONDS })
    }
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'unknown_setup') throw error
    return said('expired', EXIT.failed, io)
  }
  if (view.state === 'done') return said('configured', EXIT.ok, io)
  if (view.state === 'failed') return said(view.error === 'expired' ? 'expired' : view.message, EXIT.failed, io)
  if (io.clock.now() - view.started_at < PATIENCE_MS) return said('WAITING', NOT_YET, io)
  await client.cancelSetup('dingtalk', code)
  return said('WAITING_TIMEOUT', EXIT.failed, io)
}

const isUnderWay = ({ state }: SetupView): boolean => state !== 'done' && state !== 'failed'

function said(word: string, code: ExitCode, io: Io): ExitCode {
  io.out.write(`${word}\n`)
  return code
}
