import { connect } from './api.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { relativeTime } from './relative-time.ts'
import { table } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import type { KnownUser } from '@gatepost/channels'

export const users: Command<PlatformArgs> = {
  name: 'users',
  summary: 'list the people who have written to the bot',
  examples: [`${PROGRAM} users telegram`],
  args: PLATFORM_ARGS,
  async run(args, io) {
    const client = await connect(args, io)
    const answer = await client.users(args.platform)
    if (args.json) io.out.write(jsonText(answer))
    else if (answer.users.length === 0) io.out.write(`${NOBODY_YET}\n`)
    else io.out.write(usersTable(answer.users, io, io.out))
    return EXIT.ok
  },
}

export const NOBODY_YET = 'Nobody has written to the bot yet. The person must message the bot first.'

/** A person as a list of choices shows them. */
export const userLabel = (user: KnownUser): string => {
  const username = user.username ? `@${plainLine(user.username).replace(/^@/, '')}` : ''
  return [user.name ? plainLine(user.name) : '', username].filter(Boolean).join(' ') || plainLine(user.user_id)
}

export function usersTable(list: readonly KnownUser[], io: Io, output: Output): string {
  const { green, yellow, dim } = paletteOf(output)
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
    { title: 'Answered' },
    { title: 'Can be written to', flexible: true },
  ] as const
  return table(columns, rows, output)
}
