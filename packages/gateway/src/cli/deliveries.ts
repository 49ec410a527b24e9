import { connect } from './api.ts'
import { PLATFORM_ARGS, PROGRAM, type Command, type PlatformArgs } from './command.ts'
import { EXIT } from './exit-code.ts'
import { PAGE_ARGS, pageOf, type PageArgs } from './page-args.ts'
import { relativeTime } from './relative-time.ts'
import { table, type Cell } from './table.ts'
import { jsonText, paletteOf, plainLine } from './text.ts'
import type { Io } from './io.ts'
import type { DeliveryRecord } from '@gatepost/channels'

interface Args extends PlatformArgs, PageArgs {
  readonly dead: boolean
  readonly resend: string | undefined
}

export const deliveries: Command<Args> = {
  name: 'deliveries',
  summary: 'list what was sent and what became of it',
  examples: [`${PROGRAM} deliveries telegram --dead`, `${PROGRAM} deliveries telegram --resend <id>`],
  args: {
    ...PLATFORM_ARGS,
    dead: { kind: 'flag', describe: 'only those that failed for good' },
    resend: { kind: 'value', placeholder: 'id', describe: 'send this failed one again and wait for the outcome' },
    ...PAGE_ARGS,
  },
  async run(args, io) {
    const client = await connect(args, io)
    if (args.resend !== undefined) {
      const answer = await client.resend(args.platform, args.resend)
      io.out.write(args.json ? jsonText(answer) : 'Sent.\n')
      return EXIT.ok
    }
    const page = await client.deliveries(args.platform, { ...pageOf(args), dead: args.dead })
    if (args.json) {
      io.out.write(jsonText(page))
      return EXIT.ok
    }
    if (page.items.length === 0) io.out.write(args.dead ? 'No delivery has failed for good.\n' : 'No deliveries.\n')
    else io.out.write(deliveriesTable(page.items, io))
    if (page.items.some(({ dead }) => dead))
      io.out.write(`\nSend a failed one again: ${PROGRAM} deliveries ${args.platform} --resend <id>\n`)
    if (page.next !== null)
      io.out.write(
        `\nOlder: ${PROGRAM} deliveries ${args.platform}${args.dead ? ' --dead' : ''} --before ${plainLine(page.next)}\n`,
      )
    return EXIT.ok
  },
}

function deliveriesTable(items: readonly DeliveryRecord[], io: Io): string {
  const { green, red, yellow } = paletteOf(io.out)
  const paintOf = (delivery: DeliveryRecord): typeof green =>
    delivery.state === 'delivered' ? green : delivery.dead ? red : yellow
  const rows = items.map((delivery): Cell[] => [
    relativeTime(delivery.updated_at, io.clock.now()),
    delivery.kind,
    plainLine(delivery.user_id ?? delivery.chat_id),
    plainLine(delivery.file === null ? delivery.text : `[${delivery.file}] ${delivery.text}`),
    { text: [delivery.state, plainLine(delivery.reason ?? '')].filter(Boolean).join(': '), paint: paintOf(delivery) },
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
