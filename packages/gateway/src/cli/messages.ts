import { connect } from './api.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { PAGE_ARGS, pageOf, type PageArgs } from './page-args.ts'
import { relativeTime } from './relative-time.ts'
import { table, type Cell } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { Io } from './io.ts'
import type { MessageRecord } from '@gatepost/channels'

interface Args extends PlatformArgs, PageArgs {}

export const messages: Command<Args> = {
  name: 'messages',
  summary: 'list received messages and whether they were answered',
  examples: [`${PROGRAM} messages telegram`, `${PROGRAM} messages telegram --limit 100 --json`],
  args: { ...PLATFORM_ARGS, ...PAGE_ARGS },
  async run(args, io) {
    const client = await connect(args, io)
    const page = await client.messages(args.platform, pageOf(args))
    if (args.json) {
      io.out.write(jsonText(page))
      return EXIT.ok
    }
    if (page.items.length === 0) io.out.write('No messages.\n')
    else io.out.write(messagesTable(page.items, io))
    if (page.next !== null)
      io.out.write(`\nOlder: ${PROGRAM} messages ${args.platform} --before ${plainLine(page.next)}\n`)
    return EXIT.ok
  },
}

function messagesTable(items: readonly MessageRecord[], io: Io): string {
  const { green, red, yellow, dim } = paletteOf(io.out)
  const paints = { answered: green, failed: red, received: yellow, ignored: dim }
  const rows = items.map((message): Cell[] => [
    relativeTime(message.sent_at, io.clock.now()),
    plainLine(message.from.name ?? message.from.user_id),
    message.chat.kind === 'group' ? plainLine(message.chat.title ?? message.chat.id) : '',
    [plainLine(message.text), ...message.files.map((file) => `[${plainLine(file.name || file.kind)}]`)]
      .filter(Boolean)
      .join(' '),
    {
      text: message.reason ? `${message.state}: ${plainLine(message.reason)}` : message.state,
      paint: paints[message.state] ?? dim,
    },
  ])
  const columns = [
    { title: 'Sent' },
    { title: 'From', flexible: true },
    { title: 'Group', flexible: true, optional: true },
    { title: 'Text', flexible: true },
    { title: 'State', flexible: true },
  ] as const
  return table(columns, rows, io.out)
}
