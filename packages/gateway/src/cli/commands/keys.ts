import { connectKeys, type KeyRotationView } from '../api.ts'
import { type Command, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { CliError, EXIT } from '../exit-code.ts'
import { jsonText, type Output } from '../text.ts'

const POLL_MS = 300

/** The command `gatepost keys rotate`. */
export const keysRotate: Command<ServerArgs> = {
  name: 'keys rotate',
  summary: 'encrypt all stored secrets with the newest secret key',
  examples: [`${PROGRAM} keys rotate`],
  args: SERVER_ARGS,
  async run(args, io) {
    const keys = await connectKeys(args, io)
    let rotation = await keys.rotate()
    while (rotation.state === 'running') {
      showProgress(io.err, rotation)
      await io.clock.sleep(POLL_MS, io.signal)
      rotation = await keys.rotation()
    }
    clearProgress(io.err)
    if (rotation.state === 'failed') {
      throw new CliError('rotation_failed', "The rotation failed. The server's log has the reason. Run it again.")
    }
    io.out.write(args.json ? jsonText(rotation) : summary(rotation))
    return EXIT.ok
  },
}

const WIDTH = 30

/** Draws the progress bar over the previous one. Other outputs than terminals don't get one. */
function showProgress(output: Output, { seen, total }: KeyRotationView): void {
  if (!output.isTty) return
  const done = total === 0 ? 1 : Math.min(seen / total, 1)
  const bar = '#'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '.')
  output.write(`\r[${bar}] ${String(Math.floor(done * 100)).padStart(3)}%  ${seen} of ${Math.max(total, seen)}`)
}

function clearProgress(output: Output): void {
  if (output.isTty) output.write('\r\u001b[K')
}

const summary = ({ seen, resealed, unreadable }: KeyRotationView): string =>
  [
    `Checked ${seen} stored secrets. Encrypted ${resealed} of them again with the newest key.`,
    ...(unreadable > 0 ? [`${unreadable} can't be decrypted with any of the keys. They were left unchanged.`] : []),
    'You can remove the older keys once the links and tokens that they signed have expired.',
    '',
  ].join('\n')
