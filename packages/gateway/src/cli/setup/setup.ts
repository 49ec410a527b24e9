import { connect } from '../api.ts'
import { PROGRAM, SERVER_ARGS, type Command } from '../command.ts'
import { usageError } from '../exit-code.ts'
import { dingtalkMode, discordMode, feishuMode, weixinMode, type HelperMode } from './helper-modes.ts'
import { guide } from './guided.ts'
import { setUpUnattended } from './unattended.ts'
import type { SetupArgs } from './args.ts'

const MODES: readonly HelperMode[] = [feishuMode, weixinMode, discordMode, dingtalkMode]

/** A secret comes as an argument only where a program's interface prescribes it: arguments are seen by everybody. */
export const setup: Command<SetupArgs> = {
  name: 'setup',
  summary: 'connect a bot, step by step',
  examples: [
    `${PROGRAM} setup feishu`,
    `${PROGRAM} setup telegram --token-file ./bot-token`,
    `pass show app-secret | ${PROGRAM} setup feishu --id cli_0123456789abcdef --token-stdin`,
    `${PROGRAM} setup weixin --fetch-qr`,
  ],
  args: {
    platform: { kind: 'required', describe: 'feishu, wecom, weixin, discord, telegram or dingtalk' },
    kind: { kind: 'value', placeholder: 'way', describe: 'qr, paste or portal instead of the easiest way' },
    tokenFile: { kind: 'value', placeholder: 'path', describe: 'read the secret from this file and ask nothing' },
    tokenStdin: { kind: 'flag', describe: 'read the secret from standard input and ask nothing' },
    id: {
      kind: 'value',
      placeholder: 'id',
      describe: 'with these: the app id, bot id or client id that belongs to it',
    },
    baseUrl: { kind: 'value', placeholder: 'address', describe: 'with these: another server of the platform' },
    background: { kind: 'flag', describe: 'feishu, for programs: print SCAN_URL, EXPIRE_IN, APP_ID and APP_SECRET' },
    fetchQr: { kind: 'flag', describe: 'weixin, for programs: print qrcode_url and qrcode_id as JSON' },
    qrcodeId: { kind: 'value', placeholder: 'id', describe: 'weixin, for programs: wait for the scan, 60 s at most' },
    verifyCode: { kind: 'value', placeholder: 'number', describe: 'weixin, with --qrcode-id: the number on the phone' },
    portalUrl: { kind: 'flag', describe: 'discord, for programs: print the address of the portal' },
    validate: { kind: 'value', placeholder: 'token', describe: 'discord, for programs: check and save; - reads stdin' },
    inviteUrl: { kind: 'value', placeholder: 'app id', describe: 'discord, for programs: print the invitation' },
    watchGuild: { kind: 'flag', describe: 'discord, for programs: wait until the bot is in a server, 10 minutes' },
    printQr: { kind: 'flag', describe: 'dingtalk, for programs: print qr_url and device_code as JSON' },
    poll: { kind: 'value', placeholder: 'code', describe: 'dingtalk, for programs: 0 configured, 2 not yet, 1 failed' },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    if (args.tokenFile !== undefined && args.tokenStdin)
      throw usageError('Give --token-file or --token-stdin, not both.')
    const mode = await findHelperMode(args)
    if (mode) return mode.run(args, io)
    const client = await connect(args, io)
    if (args.tokenFile !== undefined || args.tokenStdin) return setUpUnattended(client, args, io)
    if (!io.interactive || args.json) {
      const hint = 'Use --token-file <path> or --token-stdin, or one of the modes for programs: see --help.'
      throw usageError('There is nobody to be led through the set-up.', hint)
    }
    return guide(client, args, await io.prompts(), io)
  },
}

/** @throws {CliError} `usage` for a mode of another platform, and for two */
async function findHelperMode(args: SetupArgs): Promise<HelperMode | undefined> {
  const [mode, another] = MODES.filter((one) => one.isAsked(args))
  if (!mode) return undefined
  if (another) throw usageError('Give one mode only.')
  const { platformNamed } = await import('@gatepost/channels')
  if (platformNamed(args.platform) !== mode.platform) throw usageError(`That option belongs to ${mode.platform}.`)
  return mode
}
