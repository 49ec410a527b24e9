import { connect, type ApiClient } from '../api.ts'
import { allowedUsers } from './channel-view.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from '../command.ts'
import { HOST_SETTINGS } from '../../config/settings.ts'
import { disable, enable, detailsText } from './channels.ts'
import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.ts'
import { setUp } from '../setup/set-up.ts'
import { jsonText, plainLine } from '../text.ts'
import type { ChannelEntry } from '@gatepost/channels'
import type { Io } from '../io.ts'
import type { Prompts } from '../prompts.ts'

interface Args extends ServerArgs {
  readonly platform: string | undefined
  readonly allowedUsers: string | undefined
}

export const reconfigure: Command<Args> = {
  name: 'reconfigure',
  summary: 'show the configuration and change it',
  examples: [`${PROGRAM} reconfigure`, `${PROGRAM} reconfigure telegram --allowed-users 42,77`],
  args: {
    platform: { kind: 'optional', describe: 'which one' },
    allowedUsers: {
      kind: 'value',
      placeholder: 'ids',
      describe: 'answer only these people, separated by commas; "" answers everyone',
    },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const client = await connect(args, io)
    if (args.allowedUsers !== undefined) return saveAllowedUsers(client, args, args.allowedUsers, io)
    if (!io.interactive || args.json) {
      throw usageError('There is nobody to ask what to change.', 'Use --allowed-users <ids>.')
    }
    return menu(client, args, await io.prompts(), io)
  },
}

const parseIds = (text: string): readonly string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)

async function saveAllowedUsers(client: ApiClient, args: Args, list: string, io: Io): Promise<ExitCode> {
  if (args.platform === undefined) throw usageError('Name the platform: reconfigure <platform> --allowed-users <ids>.')
  const answer = await client.save(args.platform, { allowed_users: parseIds(list) })
  io.out.write(args.json ? jsonText(answer) : allowedText(parseIds(list)))
  return EXIT.ok
}

const allowedText = (ids: readonly string[]): string =>
  ids.length === 0 ? 'The bot answers everyone.\n' : `The bot answers only ${ids.map(plainLine).join(', ')}.\n`

async function menu(client: ApiClient, args: Args, prompts: Prompts, io: Io): Promise<ExitCode> {
  const entry = await chooseEntry(client, args.platform, prompts)
  if (entry === undefined) return addPlatform(client, args, prompts, io)
  const { platform } = entry
  prompts.note(
    'Now',
    detailsText(await client.details(platform), io)
      .trimEnd()
      .split('\n'),
  )
  const ids = allowedUsers(entry)
  const action = await prompts.choose('What would you like to change?', [
    { value: 'credentials', label: 'Update the credentials' },
    ...(ids ? [{ value: 'allowed', label: 'Change who is answered' } as const] : []),
    { value: 'add', label: 'Add a platform' },
    entry.enabled
      ? { value: 'disable', label: `Disable ${platform}` }
      : { value: 'enable', label: `Enable ${platform}` },
  ])
  if (action === 'credentials') return setUp({ ...args, platform }, io, await askBaseUrl(entry, prompts))
  if (action === 'add') return addPlatform(client, args, prompts, io)
  if (action === 'allowed') {
    const question = 'Ids of the people to answer, separated by commas (empty: everyone)'
    const list = await prompts.text(question, (ids ?? []).join(', '), () => undefined)
    return saveAllowedUsers(client, { ...args, platform }, list, io)
  }
  return (action === 'enable' ? enable : disable).run({ ...args, platform }, io)
}

/** The channel to change; `undefined` when none is configured yet and the person wants to set one up. */
async function chooseEntry(
  client: ApiClient,
  platform: string | undefined,
  prompts: Prompts,
): Promise<ChannelEntry | undefined> {
  if (platform !== undefined) {
    const entry = await client.details(platform)
    if (entry.has_config) return entry
    throw new CliError('no_credentials', `${entry.platform} has no credentials yet.`, {
      hints: [`Run: ${PROGRAM} setup ${entry.platform}`],
    })
  }
  const configured = (await client.list()).channels.filter(({ has_config }) => has_config)
  const [first, second] = configured
  if (!first) {
    prompts.info('Nothing is configured.')
    return undefined
  }
  if (!second) return first
  const choices = configured.map((entry) => ({ value: entry.platform, label: entry.platform }))
  const chosen = await prompts.choose('Which channel?', choices)
  return configured.find((entry) => entry.platform === chosen)
}

async function addPlatform(client: ApiClient, args: Args, prompts: Prompts, io: Io): Promise<ExitCode> {
  const free = (await client.list()).channels.filter(({ has_config }) => !has_config)
  if (free.length === 0) {
    prompts.outro('Every platform is configured already.')
    return EXIT.ok
  }
  const choices = free.map(({ platform }) => ({ value: platform, label: platform }))
  return setUp({ ...args, platform: await prompts.choose('Which platform?', choices) }, io)
}

const OWN_SERVERS: ReadonlySet<string | null> = new Set(HOST_SETTINGS.map(({ fallback }) => fallback))

/** New credentials go to the platform's own server, unless another one is named with them. */
async function askBaseUrl(entry: ChannelEntry, prompts: Prompts): Promise<string | undefined> {
  const before = entry['base_url']
  // where the platform itself names the server at the log-in, nobody needs to be asked
  if (entry.platform !== 'telegram' || typeof before !== 'string' || before === '' || OWN_SERVERS.has(before)) {
    return undefined
  }
  const question = 'Address of the server (empty: the one that the service is set to)'
  return (await prompts.text(question, before, () => undefined)) || undefined
}
