import { connect, type ApiClient } from '../api.ts'
import { allowedUsers } from './channel-view.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from '../command.ts'
import { HOST_SETTINGS } from '../../config/settings.ts'
import { disable, enable, detailsText } from './channels.ts'
import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.ts'
import { setUp } from '../setup/set-up.ts'
import { jsonText, plainLine } from '../text.ts'
import type { ChannelDetails, ChannelEntry } from '@gatepost/channels'
import type { Io } from '../io.ts'
import type { Prompts } from '../prompts.ts'

interface Args extends ServerArgs {
  readonly platform: string | undefined
  readonly allowedUsers: string | undefined
}

/** The command `gatepost reconfigure`. */
export const reconfigure: Command<Args> = {
  name: 'reconfigure',
  summary: "show and change a channel's configuration",
  examples: [`${PROGRAM} reconfigure`, `${PROGRAM} reconfigure telegram --allowed-users 42,77`],
  args: {
    platform: { kind: 'optional', describe: 'platform name or alias' },
    allowedUsers: {
      kind: 'value',
      placeholder: 'ids',
      describe: 'reply only to these user ids, comma-separated; "" replies to everyone',
    },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const client = await connect(args, io)
    if (args.allowedUsers !== undefined) return saveAllowedUsers(client, args, args.allowedUsers, io)
    const configured = await loadConfigured(client, args.platform)
    if (io.interactive && !args.json) return menu(client, args, configured, await io.prompts(), io)
    io.out.write(args.json ? jsonText({ channels: configured }) : configurationText(configured, io))
    return EXIT.ok
  },
}

/** Loads the details of the named channel, or of all that have credentials. @throws {CliError} `no_credentials` */
async function loadConfigured(client: ApiClient, platform: string | undefined): Promise<readonly ChannelDetails[]> {
  if (platform === undefined) {
    const { channels } = await client.list()
    return Promise.all(channels.filter(({ has_config }) => has_config).map((entry) => client.details(entry.platform)))
  }
  const details = await client.details(platform)
  if (details.has_config) return [details]
  throw new CliError('no_credentials', `${details.platform} has no credentials yet.`, {
    hints: [`Run: ${PROGRAM} setup ${details.platform}`],
  })
}

const NO_CHANNELS = 'No channel configured.'

/** Formats the configuration of channels, with secrets masked, and what changes it without a terminal. */
function configurationText(channels: readonly ChannelDetails[], io: Io): string {
  if (channels.length === 0) return `${NO_CHANNELS}\n\nSet up your first channel:\n  ${PROGRAM} setup <platform>\n`
  const commands = [
    'setup <platform>',
    'reconfigure <platform> --allowed-users <ids>',
    'enable <platform>',
    'disable <platform>',
  ]
  const ways = commands.map((command) => `  ${PROGRAM} ${command}\n`).join('')
  return `${channels.map((details) => detailsText(details, io)).join('\n')}\nTo change it:\n${ways}`
}

const parseIds = (text: string): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)

async function saveAllowedUsers(client: ApiClient, args: Args, list: string, io: Io): Promise<ExitCode> {
  if (args.platform === undefined)
    throw usageError('Platform missing. Use: reconfigure <platform> --allowed-users <ids>.')
  const answer = await client.save(args.platform, { allowed_users: parseIds(list) })
  io.out.write(args.json ? jsonText(answer) : allowedText(parseIds(list)))
  return EXIT.ok
}

const allowedText = (ids: readonly string[]): string =>
  ids.length === 0 ? 'The bot replies to everyone.\n' : `The bot replies only to ${ids.map(plainLine).join(', ')}.\n`

async function menu(
  client: ApiClient,
  args: Args,
  configured: readonly ChannelDetails[],
  prompts: Prompts,
  io: Io,
): Promise<ExitCode> {
  if (configured.length === 0) {
    prompts.info(NO_CHANNELS)
    return addPlatform(client, args, prompts, io)
  }
  for (const details of configured)
    prompts.note(`Current configuration: ${details.platform}`, detailsText(details, io).trimEnd().split('\n'))
  const entry = await chooseEntry(configured, prompts)
  const { platform } = entry
  const ids = allowedUsers(entry)
  const action = await prompts.choose('What would you like to change?', [
    { value: 'credentials', label: 'Update credentials' },
    ...(ids ? [{ value: 'allowed', label: 'Change allowed users' } as const] : []),
    { value: 'add', label: 'Add a platform' },
    entry.enabled
      ? { value: 'disable', label: `Disable ${platform}` }
      : { value: 'enable', label: `Enable ${platform}` },
  ])
  if (action === 'credentials') return setUp({ ...args, platform }, io, await askBaseUrl(entry, prompts))
  if (action === 'add') return addPlatform(client, args, prompts, io)
  if (action === 'allowed') {
    const question = 'User ids to reply to, comma-separated (empty: everyone)'
    const list = await prompts.text(question, (ids ?? []).join(', '), () => undefined)
    return saveAllowedUsers(client, { ...args, platform }, list, io)
  }
  return (action === 'enable' ? enable : disable).run({ ...args, platform }, io)
}

/** Returns the only configured channel, or asks which one to change. */
async function chooseEntry(configured: readonly ChannelDetails[], prompts: Prompts): Promise<ChannelDetails> {
  const [first, second] = configured
  if (!first) throw new CliError('no_credentials', NO_CHANNELS)
  if (!second) return first
  const choices = configured.map(({ platform }) => ({ value: platform, label: platform }))
  const chosen = await prompts.choose('Which channel?', choices)
  return configured.find(({ platform }) => platform === chosen) ?? first
}

async function addPlatform(client: ApiClient, args: Args, prompts: Prompts, io: Io): Promise<ExitCode> {
  const free = (await client.list()).channels.filter(({ has_config }) => !has_config)
  if (free.length === 0) {
    prompts.outro('Every platform is already configured.')
    return EXIT.ok
  }
  const choices = free.map(({ platform }) => ({ value: platform, label: platform }))
  return setUp({ ...args, platform: await prompts.choose('Which platform?', choices) }, io)
}

const OWN_SERVERS: ReadonlySet<string | null> = new Set(HOST_SETTINGS.map(({ fallback }) => fallback))

/** Asks which server to use if the channel had a custom one. New credentials otherwise use the platform's own. */
async function askBaseUrl(entry: ChannelEntry, prompts: Prompts): Promise<string | undefined> {
  const before = entry['base_url']
  // other platforms report their server at sign-in
  if (entry.platform !== 'telegram' || typeof before !== 'string' || before === '' || OWN_SERVERS.has(before)) {
    return undefined
  }
  const question = 'Server address (empty: the default of the service)'
  return (await prompts.text(question, before, () => undefined)) || undefined
}
