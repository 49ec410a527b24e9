import { connect, type ApiClient } from './api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type ServerArgs } from './command.ts'
import { localChecks } from './doctor-local.ts'
import { serverChecks } from './doctor-server.ts'
import { CliError, EXIT } from './exit-code.ts'
import { displayWidth, jsonText, paletteOf, plainLine, wrapToWidth, type Paint } from './text.ts'
import type { Diagnosis } from '@gatepost/channels'
import type { Io } from './io.ts'

interface Args extends ServerArgs {
  readonly platform: string | undefined
}

/** What was checked together: this machine, the server, or one platform. */
interface Section {
  readonly title: string
  readonly checks: readonly Diagnosis[]
}

export const doctor: Command<Args> = {
  name: 'doctor',
  summary: 'check this machine, the server and the platforms, and say what to do',
  examples: [`${PROGRAM} doctor`, `${PROGRAM} doctor telegram --json`],
  args: { platform: { kind: 'optional', describe: 'only this one' }, ...SERVER_ARGS },
  async run(args, io) {
    const sections: Section[] = [{ title: 'This machine', checks: await localChecks(io) }]
    const client = await connect(args, io)
    const server = await serverChecks(client, io)
    sections.push({ title: `Server ${client.url}`, checks: server })
    if (!server.some(({ id, status }) => status === 'fail' && id !== 'clock'))
      sections.push(...(await platformSections(client, args.platform)))
    const failed = sections.flatMap(({ checks }) => checks).filter(({ status }) => status === 'fail').length
    if (args.json) io.out.write(jsonText({ ok: failed === 0, sections }))
    else io.out.write(report(sections, failed, io))
    return failed === 0 ? EXIT.ok : EXIT.failed
  },
}

async function platformSections(client: ApiClient, platform: string | undefined): Promise<readonly Section[]> {
  const title = platform ?? 'Platforms'
  try {
    if (platform === undefined) return (await client.report()).sections
    return [{ title, checks: (await client.doctor(platform)).checks }]
  } catch (error) {
    if (!(error instanceof CliError) || error.code === 'unknown_platform' || error.exit === EXIT.interrupted)
      throw error
    const failed = { id: 'checks_possible', title: 'Checks', status: 'fail', detail: error.spoken } as const
    const remedy = error.hints[0] ?? `Run: ${PROGRAM} status`
    return [{ title, checks: [{ ...failed, remedy }] }]
  }
}

const WORDS = { pass: 'pass', warn: 'warn', fail: 'FAIL' } as const

function report(sections: readonly Section[], failed: number, io: Io): string {
  const { bold, red, green, dim, yellow } = paletteOf(io.out)
  const paint = { pass: green, warn: yellow, fail: red }
  const width = Math.max(...sections.flatMap(({ checks }) => checks.map(({ title }) => displayWidth(plainLine(title)))))
  const indent = width + 11
  const lines = (text: string, at: number, colour: Paint): string =>
    wrapToWidth(plainLine(text), Math.max(30, io.out.columns - at))
      .map(colour)
      .join(`\n${' '.repeat(at)}`)
  const line = ({ status, title, detail, remedy }: Diagnosis): string => {
    const name = plainLine(title)
    const space = ' '.repeat(width - displayWidth(name))
    const plain: Paint = (text) => text
    const shown = lines(detail, indent, status === 'pass' ? dim : plain)
    const todo = remedy && status !== 'pass' ? `\n        ${yellow('→')} ${lines(remedy, 10, plain)}` : ''
    return `  ${paint[status](WORDS[status])}  ${name}${space}   ${shown}`.trimEnd() + todo
  }
  const blocks = sections.map(({ title, checks }) => [bold(plainLine(title)), ...checks.map(line)].join('\n'))
  const warned = sections.flatMap(({ checks }) => checks).filter(({ status }) => status === 'warn').length
  const fine = warned === 0 ? 'Everything is fine.' : `Nothing failed; ${warned} to look at.`
  const total = failed === 0 ? green(fine) : red(`${failed} ${failed === 1 ? 'check' : 'checks'} failed.`)
  return `${blocks.join('\n\n')}\n\n${total}\n`
}
