import { connect } from '../api.ts'
import { PROGRAM, SERVER_ARGS, type Command } from '../command.ts'
import { usageError } from '../exit-code.ts'
import { dingtalkMode, discordMode, feishuMode, weixinMode, type HelperMode } from './helper-modes.ts'
import { feishuCliMode } from './feishu-cli.ts'
import { guide } from './guided.ts'
import { setUpUnattended } from './unattended.ts'
import type { SetupArgs } from './args.ts'
import type { ApiClient } from '../api.ts'
import type { Io } from '../io.ts'

/** The platform is optional on the command line: a person is asked, and an option for programs implies it. */
type CommandArgs = Omit<SetupArgs, 'platform'> & { readonly platform: string | undefined }

const MODES: readonly HelperMode[] = [feishuMode, feishuCliMode, weixinMode, discordMode, dingtalkMode]

/** Takes secrets as arguments only where an external interface requires it: other users can see arguments. */
export const setup: Command<CommandArgs> = {
  name: 'setup',
  summary: 'set up a channel step by step',
  examples: [
    `${PROGRAM} setup feishu`,
    `${PROGRAM} setup telegram --token-file ./bot-token`,
    `pass show app-secret | ${PROGRAM} setup feishu --id cli_0123456789abcdef --token-stdin`,
    `${PROGRAM} setup weixin --fetch-qr`,
  ],
  args: {
    platform: {
      kind: 'optional',
      describe: 'feishu, wecom, weixin, discord, telegram or dingtalk (default: asks which one)',
    },
    kind: { kind: 'value', placeholder: 'way', describe: 'setup method: qr, paste or portal (default: the easiest)' },
    tokenFile: { kind: 'value', placeholder: 'path', describe: 'read the secret from a file, without prompts' },
    tokenStdin: { kind: 'flag', describe: 'read the secret from standard input, without prompts' },
    id: {
      kind: 'value',
      placeholder: 'id',
      describe: 'with --token-*: the app id, bot id or client id',
    },
    baseUrl: { kind: 'value', placeholder: 'address', describe: "with --token-*: address of the platform's server" },
    background: { kind: 'flag', describe: 'feishu, for programs: print SCAN_URL, EXPIRE_IN, APP_ID and APP_SECRET' },
    authorizeCli: {
      kind: 'flag',
      describe: "feishu, for programs: print the URLs that authorize Feishu's own lark-cli, and wait",
    },
    fetchQr: { kind: 'flag', describe: 'weixin, for programs: print qrcode_url and qrcode_id as JSON' },
    qrcodeId: { kind: 'value', placeholder: 'id', describe: 'weixin, for programs: wait up to 60 s for the scan' },
    verifyCode: {
      kind: 'value',
      placeholder: 'number',
      describe: 'weixin, with --qrcode-id: the number shown on the phone',
    },
    portalUrl: { kind: 'flag', describe: 'discord, for programs: print the URL of the developer portal' },
    validate: {
      kind: 'value',
      placeholder: 'token',
      describe: 'discord, for programs: check and save a token; - reads stdin',
    },
    inviteUrl: { kind: 'value', placeholder: 'app id', describe: 'discord, for programs: print the invite URL' },
    watchGuild: { kind: 'flag', describe: 'discord, for programs: wait up to 10 minutes until the bot joins a server' },
    printQr: { kind: 'flag', describe: 'dingtalk, for programs: print qr_url and device_code as JSON' },
    poll: {
      kind: 'value',
      placeholder: 'code',
      describe: 'dingtalk, for programs: exit with 0 (configured), 2 (waiting) or 1 (failed)',
    },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    if (args.tokenFile !== undefined && args.tokenStdin)
      throw usageError('Use either --token-file or --token-stdin, not both.')
    const mode = await findHelperMode(args)
    if (mode) return mode.run({ ...args, platform: mode.platform }, io)
    const isUnattended = args.tokenFile !== undefined || args.tokenStdin
    const { platform } = args
    if (platform === undefined && (isUnattended || !io.interactive || args.json))
      throw usageError('Platform missing. Use: setup <platform>.', `Platforms: ${(await listPlatforms()).join(', ')}.`)
    const client = await connect(args, io)
    const named = { ...args, platform: platform ?? (await askPlatform(client, io)) }
    if (isUnattended) return setUpUnattended(client, named, io)
    if (!io.interactive || args.json) {
      const hint = 'Use --token-file <path> or --token-stdin, or an option for programs (see --help).'
      throw usageError('The guided setup needs a terminal.', hint)
    }
    return guide(client, named, await io.prompts(), io)
  },
}

const listPlatforms = async (): Promise<readonly string[]> => (await import('@gatepost/channels')).PLATFORM_IDS

/** Asks which platform to set up. */
async function askPlatform(client: ApiClient, io: Io): Promise<string> {
  const { channels } = await client.list()
  const choices = channels.map(({ platform, has_config }) => ({
    value: platform,
    label: has_config ? `${platform} (already set up)` : platform,
  }))
  return (await io.prompts()).choose('Which platform?', choices)
}

/** Returns the mode for programs that the options select. @throws {CliError} `usage` if it's another platform's, or there are two */
async function findHelperMode(args: CommandArgs): Promise<HelperMode | undefined> {
  const [mode, another] = MODES.filter((one) => one.isAsked(args))
  if (!mode) return undefined
  if (another) throw usageError('Use only one of the options for programs.')
  const { parsePlatformId } = await import('@gatepost/channels')
  if (args.platform !== undefined && parsePlatformId(args.platform) !== mode.platform)
    throw usageError(`That option is only for ${mode.platform}.`)
  return mode
}
