import type { MessageRecord, DeliveryRecord } from '@gatepost/channels'
import { connect } from '../api.ts'
import {
  PLATFORM_ARGS,
  PROGRAM,
  PAGE_ARGS,
  parsePage,
  type Command,
  type PlatformArgs,
  type PageArgs,
} from '../command.ts'
import { EXIT } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { relativeTime, jsonText, createPalette, plainLine, type Cell } from '../text.ts'
import { table } from '../table.ts'

interface MessagesArgs extends PlatformArgs, PageArgs {}

/** The command `gatepost messages`. */
export const messages: Command<MessagesArgs> = {
  name: 'messages',
  summary: 'list received messages and their state',
  examples: [`${PROGRAM} messages telegram`, `${PROGRAM} messages telegram --limit 100 --json`],
  args: { ...PLATFORM_ARGS, ...PAGE_ARGS },
  async run(args, io) {
    const client = await connect(args, io)
    const page = await client.messages(args.platform, parsePage(args))
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
  const { green, red, yellow, dim } = createPalette(io.out)
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

interface DeliveriesArgs extends PlatformArgs, PageArgs {
  readonly dead: boolean
  readonly resend: string | undefined
}

/** The command `gatepost deliveries`. */
export const deliveries: Command<DeliveriesArgs> = {
  name: 'deliveries',
  summary: 'list deliveries and their state',
  examples: [`${PROGRAM} deliveries telegram --dead`, `${PROGRAM} deliveries telegram --resend <id>`],
  args: {
    ...PLATFORM_ARGS,
    dead: { kind: 'flag', describe: 'only failed messages' },
    resend: { kind: 'value', placeholder: 'id', describe: 'retry this failed message and wait for the outcome' },
    ...PAGE_ARGS,
  },
  async run(args, io) {
    const client = await connect(args, io)
    if (args.resend !== undefined) {
      const answer = await client.resend(args.platform, args.resend)
      io.out.write(args.json ? jsonText(answer) : 'Sent.\n')
      return EXIT.ok
    }
    const page = await client.deliveries(args.platform, { ...parsePage(args), dead: args.dead })
    if (args.json) {
      io.out.write(jsonText(page))
      return EXIT.ok
    }
    if (page.items.length === 0) io.out.write(args.dead ? 'No failed messages.\n' : 'No deliveries.\n')
    else io.out.write(deliveriesTable(page.items, io))
    if (page.items.some(({ dead }) => dead))
      io.out.write(`\nRetry a failed message: ${PROGRAM} deliveries ${args.platform} --resend <id>\n`)
    if (page.next !== null)
      io.out.write(
        `\nOlder: ${PROGRAM} deliveries ${args.platform}${args.dead ? ' --dead' : ''} --before ${plainLine(page.next)}\n`,
      )
    return EXIT.ok
  },
}

function deliveriesTable(items: readonly DeliveryRecord[], io: Io): string {
  const { green, red, yellow } = createPalette(io.out)
  const pickPaint = (delivery: DeliveryRecord): typeof green =>
    delivery.state === 'delivered' ? green : delivery.dead ? red : yellow
  const rows = items.map((delivery): Cell[] => [
    relativeTime(delivery.updated_at, io.clock.now()),
    delivery.kind,
    plainLine(delivery.user_id ?? delivery.chat_id),
    plainLine(delivery.file === null ? delivery.text : `[${delivery.file}] ${delivery.text}`),
    { text: [delivery.state, plainLine(delivery.reason ?? '')].filter(Boolean).join(': '), paint: pickPaint(delivery) },
    plainLine(delivery.id),
  ])
  const columns = [
    { title: 'When' },
    { title: 'Kind' },
    { title: 'To' },
    { title: 'Text', flexible: true },
    { title: 'State', flexible: true },
    { title: 'Id' },
  ] as const
  return table(columns, rows, io.out)
}
