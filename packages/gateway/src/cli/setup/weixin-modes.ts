import { type ApiClient, connect } from '../api.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import type { SetupView } from '@gatepost/channels'
import type { Io } from '../io.ts'
import type { SetupArgs } from './args.ts'
import type { HelperMode } from './helper-mode.ts'

/** Programs end a run of `--qrcode-id` after 60 s: by then it has ended. The same id may be asked for again. */
const RUN_MS = 58_000
const LOOK_SECONDS = 15

/** `--fetch-qr` prints `{qrcode_url, qrcode_id}` or `{error}`; `--qrcode-id <id>` waits until the log-in is saved. */
export const weixinMode: HelperMode = {
  platform: 'weixin',
  isAsked: ({ fetchQr, qrcodeId }) => fetchQr || qrcodeId !== undefined,
  async run(args, io) {
    const { qrcodeId } = args
    return qrcodeId === undefined ? fetchQr(args, io) : waitForLogin(await connect(args, io), qrcodeId, args, io)
  },
}

async function fetchQr(args: SetupArgs, io: Io): Promise<ExitCode> {
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

async function waitForLogin(client: ApiClient, id: string, args: SetupArgs, io: Io): Promise<ExitCode> {
  const untilMs = io.clock.now() + RUN_MS
  const wait = (): number => Math.min(LOOK_SECONDS, Math.max(0, Math.floor((untilMs - io.clock.now()) / 1_000)))
  let view = await looked(client, id, 0, 0)
  let told = ''
  let given = false
  while (view !== null && view.state !== 'done' && view.state !== 'failed') {
    // the program shows the first code: it knows nothing of the ones that took its place
    if (view.codes > 1) {
      await client.cancelSetup('weixin', view.id)
      return ended('expired', io)
    }
    if (view.state === 'input_needed') {
      if (args.verifyCode === undefined) return ended('verification code needed: run again with --verify-code', io)
      // once per run: Weixin blocks a code after some wrong numbers
      if (given) throw new CliError('code_wrong', view.message)
      given = true
      await client.answerSetup('weixin', view.id, { verify_code: args.verifyCode })
      view = await looked(client, id, view.version + 1, wait())
      continue
    }
    if (view.state === 'scanned' && told === '') io.out.write(`${(told = 'scaned')}\n`)
    if (io.clock.now() >= untilMs || io.signal.aborted) return ended('timed out', io)
    view = await looked(client, id, view.version, wait())
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
  return ended(view === null ? 'expired' : endWord(view), io)
}

/** `null`: the service knows no such set-up any more. */
async function looked(client: ApiClient, id: string, version: number, waitSeconds: number): Promise<SetupView | null> {
  try {
    return await client.setup('weixin', id, { version, waitSeconds })
  } catch (error) {
    if (error instanceof CliError && error.code === 'unknown_setup') return null
    throw error
  }
}

const WORDS: Readonly<Record<string, string>> = { stale_session: 'stale-session', expired: 'expired' }
const endWord = ({ error, message }: SetupView): string => WORDS[error ?? ''] ?? message

function ended(word: string, io: Io): ExitCode {
  io.out.write(`${word}\n`)
  return EXIT.failed
}
