import type { ChannelDetails, KnownUser } from '@gatepost/channels'
import { type ApiClient, connect } from '../api.ts'
import { reasonText } from './channel-view.ts'
import { type Command, PLATFORM_ARGS, type PlatformArgs, PROGRAM, SERVER_ARGS } from '../command.ts'
import { CliError, EXIT, usageError } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { relativeTime, jsonText, createPalette, plainLine, type Output } from '../text.ts'
import { table } from '../table.ts'

/** The command `gatepost users`. */
export const users: Command<PlatformArgs> = {
  name: 'users',
  summary: 'list the people who have messaged the bot',
  examples: [`${PROGRAM} users telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    const answer = await client.users(args.platform)
    if (args.json) io.out.write(jsonText(answer))
    else if (answer.users.length === 0) io.out.write(`${NO_USERS_YET}\n`)
    else io.out.write(usersTable(answer.users, io, io.out))
    return EXIT.ok
  },
}

/** Message if no one has messaged the bot. */
export const NO_USERS_YET = 'No one has messaged the bot yet. The person must message the bot first.'

/** Returns a person's name for lists and choices. */
export const userLabel = (user: KnownUser): string => {
  const username = user.username ? `@${plainLine(user.username).replace(/^@/, '')}` : ''
  return [user.name ? plainLine(user.name) : '', username].filter(Boolean).join(' ') || plainLine(user.user_id)
}

/** Formats people as a table. */
export function usersTable(list: readonly KnownUser[], io: Io, output: Output): string {
  const { green, yellow, dim } = createPalette(output)
  const rows = list.map((user) => [
    plainLine(user.user_id),
    userLabel(user),
    relativeTime(user.last_seen_at, io.clock.now()),
    user.allowed ? 'yes' : { text: 'no', paint: dim },
    user.reachable
      ? { text: `yes${user.sends_left === null ? '' : `, ${user.sends_left} more`}`, paint: green }
      : { text: `no${user.reason ? `: ${plainLine(user.reason)}` : ''}`, paint: yellow },
  ])
  const columns = [
    { title: 'User id' },
    { title: 'Name', flexible: true },
    { title: 'Last seen' },
    { title: 'Allowed' },
    { title: 'Reachable', flexible: true },
  ] as const
  return table(columns, rows, output)
}

interface SendArgs extends PlatformArgs {
  readonly message: string
  readonly user: string | undefined
}

/** API requests may have 1 MiB. This leaves room for the JSON. */
const MAX_BYTES = 512 * 1024

/** The command `gatepost send`. */
export const send: Command<SendArgs> = {
  name: 'send',
  summary: 'send a message and wait for the platform to confirm it',
  examples: [
    `${PROGRAM} send telegram "The backup is done."`,
    `${PROGRAM} send telegram --user 42 "Hello"`,
    `uptime | ${PROGRAM} send telegram -`,
  ],
  args: {
    platform: PLATFORM_ARGS.platform,
    message: { kind: 'required', describe: 'Markdown; - reads standard input' },
    user: { kind: 'value', placeholder: 'id', describe: 'recipient; optional if only one person has messaged the bot' },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    const message = args.message === '-' ? await io.readInput(MAX_BYTES) : args.message
    if (message.trim() === '') throw usageError('The message is empty.')
    const client = await connect(args, io)
    const to =
      args.user === undefined
        ? await chooseUser(client, args.platform, args.json, io)
        : { id: args.user, label: args.user }
    const answer = await client.send(args.platform, message, to.id)
    io.out.write(args.json ? jsonText(answer) : `Sent to ${plainLine(to.label)}.\n`)
    return EXIT.ok
  },
}

function notRunning(details: ChannelDetails, io: Io): CliError {
  const { platform, has_config } = details
  if (!has_config)
    return new CliError('no_credentials', `${platform} has no credentials yet.`, {
      hints: [`Run: ${PROGRAM} setup ${platform}`],
    })
  const why = details.enabled ? reasonText(details, io.clock.now()) : ''
  return new CliError('not_running', why === '' ? "The channel isn't running." : `The channel isn't running: ${why}`, {
    hints: [`Run: ${PROGRAM} enable ${platform}`],
  })
}

interface Recipient {
  readonly id: string
  readonly label: string
}

/**
 * Returns the only known person, or asks which one. Without prompts, fails with the list.
 * @throws {CliError} `not_running` before it asks: an answer would lead nowhere
 */
async function chooseUser(client: ApiClient, platform: string, json: boolean, io: Io): Promise<Recipient> {
  const details = await client.details(platform)
  if (!details.running) throw notRunning(details, io)
  const { users } = await client.users(platform)
  const recipients = users.map((user): Recipient => ({ id: user.user_id, label: userLabel(user) }))
  const [first, second] = recipients
  if (!first) throw new CliError('no_known_users', NO_USERS_YET)
  if (!second) return first
  if (!io.interactive || json) {
    throw new CliError('user_required', 'Several people have messaged the bot. Choose one with --user.', {
      exit: EXIT.usage,
      listing: usersTable(users, io, io.err),
      details: { users },
    })
  }
  const prompts = await io.prompts()
  // names may be ambiguous
  const choices = recipients.map(({ id, label }) => ({
    value: id,
    label: label === plainLine(id) ? label : `${label} (${plainLine(id)})`,
  }))
  const id = await prompts.choose('Who should receive it?', choices)
  return recipients.find((recipient) => recipient.id === id) ?? first
}
