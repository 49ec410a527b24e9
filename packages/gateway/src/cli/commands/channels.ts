import type { ChannelDetails } from '@gatepost/channels'
import { type ApiClient, connect } from '../api.ts'
import { allowedUsers, botName, ownFields, reasonText, stateCell, reportRunning } from './channel-view.ts'
import { type Command, PLATFORM_ARGS, type PlatformArgs, PROGRAM, SERVER_ARGS, type ServerArgs } from '../command.ts'
import { CliError, EXIT, type ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { relativeTime, jsonText, createPalette, plainLine, type Cell, pairs } from '../text.ts'
import { setUp } from '../setup/set-up.ts'
import { table } from '../table.ts'

interface StatusArgs extends ServerArgs {
  readonly platform: string | undefined
}

/** The command `gatepost status`. */
export const status: Command<StatusArgs> = {
  name: 'status',
  summary: 'show the channels and their state',
  examples: [`${PROGRAM} status`, `${PROGRAM} status telegram`],
  args: { platform: { kind: 'optional', describe: 'show details of this channel' }, ...SERVER_ARGS },
  async run(args, io) {
    const client = await connect(args, io)
    return args.platform === undefined ? overview(client, args.json, io) : one(client, args.platform, args.json, io)
  },
}

async function overview(client: ApiClient, json: boolean, io: Io): Promise<ExitCode> {
  const answer = await client.list()
  if (json) {
    io.out.write(jsonText(answer))
    return EXIT.ok
  }
  if (!answer.channels.some(({ has_config }) => has_config)) {
    const names = answer.channels.length === 0 ? ['<platform>'] : answer.channels.map(({ platform }) => platform)
    const ways = names.map((name) => `  ${PROGRAM} setup ${name}\n`)
    io.out.write(`Nothing is configured.\n\nSet up your first channel:\n${ways.join('')}`)
    return EXIT.ok
  }
  const palette = createPalette(io.out)
  const now = io.clock.now()
  const rows = await Promise.all(
    answer.channels.map(async (entry): Promise<Cell[]> => {
      const details = entry.has_config ? await client.details(entry.platform) : undefined
      const allowed = allowedUsers(entry)
      return [
        { text: entry.platform, paint: entry.has_config ? palette.bold : palette.dim },
        stateCell(entry, details, palette),
        (details && botName(details)) ?? '',
        entry.has_config && allowed ? (allowed.length === 0 ? 'everyone' : `${allowed.length} allowed`) : '',
        details?.last_inbound_at ? relativeTime(details.last_inbound_at, now) : '',
        details ? [credentialText(entry), reasonText(details, now)].filter(Boolean).join('; ') : '',
      ]
    }),
  )
  const columns = [
    { title: 'Platform' },
    { title: 'State' },
    { title: 'Bot', flexible: true },
    { title: 'Replies to', optional: true },
    { title: 'Last message', optional: true },
    { title: 'Details', flexible: true },
  ] as const
  io.out.write(table(columns, rows, io.out))
  return EXIT.ok
}

const credentialText = (entry: Parameters<typeof ownFields>[0]): string =>
  ownFields(entry)
    .filter(([name]) => ['App id', 'Client id', 'Bot id', 'Token'].includes(name))
    .map(([name, value]) => `${name.toLowerCase()} ${value}`)
    .join(', ')

async function one(client: ApiClient, platform: string, json: boolean, io: Io): Promise<ExitCode> {
  const details = await client.details(platform)
  io.out.write(json ? jsonText(details) : detailsText(details, io))
  if (!json && !details.has_config) io.out.write(`\nSet it up:\n  ${PROGRAM} setup ${details.platform}\n`)
  return EXIT.ok
}

/** Formats a channel's details, one per line. */
export function detailsText(details: ChannelDetails, io: Io): string {
  const palette = createPalette(io.out)
  const now = io.clock.now()
  const rows: (readonly [string, Cell])[] = [
    ['Platform', { text: details.platform, paint: palette.bold }],
    ['State', stateCell(details, details, palette)],
  ]
  const add = (name: string, value: string | undefined): void => void (value && rows.push([name, value]))
  add('Reason', reasonText(details, now))
  if (details.has_config) {
    add('Since', relativeTime(details.since, now))
    add('Bot', botName(details))
  }
  const masked = Object.entries(details.secrets)
  // the masked secrets already show whether there is a token
  rows.push(...ownFields(details).filter(([name]) => name !== 'Token' || masked.length === 0))
  for (const [name, shown] of masked) add(secretName(name), plainLine(shown))
  if (!details.has_config) return pairs(rows, io.out)
  add('Last heartbeat', details.last_heard_at === null ? undefined : relativeTime(details.last_heard_at, now))
  add('Last message', details.last_inbound_at === null ? 'never' : relativeTime(details.last_inbound_at, now))
  add('Last delivered', details.last_delivered_at === null ? 'never' : relativeTime(details.last_delivered_at, now))
  add('Waiting to send', String(details.queued))
  if (details.dead > 0)
    rows.push([
      'Failed messages',
      { text: `${details.dead}  (${PROGRAM} deliveries ${details.platform} --dead)`, paint: palette.red },
    ])
  const budget = details.send_budget
  if (budget) {
    const paused = budget.paused_until !== null && budget.paused_until > now
    add(
      'Send budget',
      `${budget.available} (${budget.per_second} per second)${paused ? `, paused, resumes ${relativeTime(budget.paused_until ?? now, now)}` : ''}`,
    )
  }
  for (const gap of details.gaps.slice(0, 5))
    add('Gap', `${relativeTime(gap.from, now)} to ${relativeTime(gap.to, now)}: ${plainLine(gap.why)}`)
  return pairs(rows, io.out)
}

/** Turns `app_secret` into `App secret`. */
const secretName = (name: string): string => {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The command `gatepost enable`. */
export const enable: Command<PlatformArgs> = {
  name: 'enable',
  summary: 'enable a channel that has credentials',
  examples: [`${PROGRAM} enable telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    try {
      const answer = await client.save(args.platform, { enabled: true })
      if (args.json) {
        io.out.write(jsonText(answer))
        return EXIT.ok
      }
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'no_credentials' || !io.interactive || args.json) throw error
      const prompts = await io.prompts()
      prompts.info(error.message)
      if (!(await prompts.confirm('Set it up now?', true))) throw error
      return setUp(args, io)
    }
    return reportRunning(client, args.platform, io)
  },
}

/** The command `gatepost disable`. */
export const disable: Command<PlatformArgs> = {
  name: 'disable',
  summary: 'disable a channel and keep its credentials',
  examples: [`${PROGRAM} disable telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    const answer = await client.disable(args.platform)
    const { bold, dim } = createPalette(io.out)
    const platform = plainLine(args.platform)
    io.out.write(
      args.json
        ? jsonText(answer)
        : `${bold(platform)} is disabled.\n${dim(`Enable it again: ${PROGRAM} enable ${platform}`)}\n`,
    )
    return EXIT.ok
  },
}
