import { Command as Commander, CommanderError, Option } from 'commander'
import { COMMANDS } from './commands.ts'
import { PROGRAM, type AnyCommand, type ArgSpec, type RawArgs } from './command.ts'
import { CliError, EXIT, usageError, type ExitCode } from './exit-code.ts'
import { jsonText, createPalette, plainLine } from './text.ts'
import { VERSION } from '../version.ts'
import type { Io } from './io.ts'

const EXIT_CODES = `Exit codes:
  0  done
  1  failed
  2  wrong usage, or a choice is required
  3  server unreachable
  4  not authorized`

/** Runs one command line (without the program name) and returns the exit code. Never throws. */
export async function runProgram(argv: readonly string[], io: Io): Promise<ExitCode> {
  const json = wantsJson(argv)
  try {
    const run: { code: ExitCode } = { code: EXIT.ok }
    const commands = await commandsFor(argv)
    const program = createProgram(commands, io, (code) => void (run.code = code))
    if (argv.length === 0) {
      io.out.write(program.helpInformation())
      return EXIT.usage
    }
    await program.parseAsync(argv, { from: 'user' })
    return run.code
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok
    return printError(toExpectedError(error), json, io)
  }
}

/** Looks for `--json` before any `--`. Checked before parsing, so that parse errors are JSON as well. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json')
}

/** Loads the named command, all commands of its group, or every command. */
function commandsFor([first = '', second = '']: readonly string[]): Promise<readonly AnyCommand[]> {
  const all = Object.entries(COMMANDS)
  const exact = all.filter(([name]) => name === first || name === `${first} ${second}`)
  const grouped = all.filter(([name]) => name.startsWith(`${first} `))
  const meant = exact.length > 0 ? exact : grouped.length > 0 ? grouped : all
  return Promise.all(meant.map(([, load]) => load()))
}

const toKebabCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function createProgram(commands: readonly AnyCommand[], io: Io, done: (code: ExitCode) => void): Commander {
  const { bold } = createPalette(io.out)
  const program = new Commander('gatepost')
    .description('Connects an assistant to the chat platforms people already use.')
    .usage('<command> [options]')
    .version(VERSION, '-V, --version', 'show the version')
    .helpCommand('help [command]', 'show the options of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: () => undefined, // `printError` prints it once, in one format
      getOutHelpWidth: () => Math.min(io.out.columns, 100),
      getOutHasColors: () => io.out.colour,
    })
    .configureHelp({ styleTitle: bold, subcommandTerm: fullName, visibleCommands: listLeaves })
    .addHelpText('after', `\n${EXIT_CODES}\n\nStart here:\n  ${PROGRAM} demo`)
  for (const command of commands) addCommand(program, command, io, done)
  return program
}

/** The name with its group, e.g. `token create`. */
const fullName = (command: Commander): string =>
  command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()

/** All runnable commands, including those inside groups. */
const listLeaves = (command: Commander): Commander[] =>
  command.commands.flatMap((sub) => (sub.commands.length > 0 ? listLeaves(sub) : [sub]))

/** Finds or adds the group command, e.g. `token`, which only lists its subcommands. */
function groupNamed(program: Commander, name: string): Commander {
  const known = program.commands.find((command) => command.name() === name)
  if (known) return known
  const group = program.command(name).usage('<command> [options]').argument('[command]').helpCommand(false)
  return group.action(() => {
    const names = group.commands.map((command) => `${name} ${command.name()}`).join(', ')
    throw usageError(`Choose a subcommand: ${names}.`, `See: ${PROGRAM} ${name} --help`)
  })
}

function addCommand(program: Commander, command: AnyCommand, io: Io, done: (code: ExitCode) => void): void {
  const [first = '', second] = command.name.split(' ')
  const sub = (second === undefined ? program.command(first) : groupNamed(program, first).command(second))
    .summary(command.summary)
    .description(sentence(command.summary))
  for (const [name, spec] of Object.entries(command.args)) {
    if (spec.kind === 'required') sub.argument(`<${toKebabCase(name)}>`, spec.describe)
    else if (spec.kind === 'optional') sub.argument(`[${toKebabCase(name)}]`, spec.describe)
    else sub.addOption(new Option(optionFlags(name, spec), spec.describe))
    if (spec.kind === 'switch') sub.addOption(new Option(`--no-${toKebabCase(name)}`, spec.describeNo))
  }
  sub.addHelpText('after', `\nExamples:\n${command.examples.map((line) => `  ${line}`).join('\n')}\n\n${EXIT_CODES}`)
  sub.action(async () => done(await command.run(readArgs(command.args, sub), io)))
}

const optionFlags = (name: string, spec: ArgSpec): string =>
  spec.kind === 'value' ? `--${toKebabCase(name)} <${spec.placeholder}>` : `--${toKebabCase(name)}`

function readArgs(specs: AnyCommand['args'], parsed: Commander): RawArgs {
  const options = parsed.opts<Record<string, unknown>>()
  const positional = [...parsed.args]
  const values: Record<string, string | boolean | undefined> = {}
  for (const [name, { kind }] of Object.entries(specs)) {
    if (kind === 'required' || kind === 'optional') values[name] = positional.shift()
    else if (kind === 'flag') values[name] = options[name] === true
    else if (kind === 'switch') values[name] = typeof options[name] === 'boolean' ? options[name] : undefined
    else values[name] = typeof options[name] === 'string' ? options[name] : undefined
  }
  return values
}

function toExpectedError(error: unknown): Error {
  if (error instanceof CommanderError) return usageError(toUsageMessage(error), `See: ${PROGRAM} --help`)
  return error instanceof Error ? error : new Error(String(error))
}

/** Leaves out typed text that could be a secret: after `=`, and in extra arguments. */
function toUsageMessage({ code, message }: CommanderError): string {
  if (code === 'commander.excessArguments') return 'Too many arguments for this command.'
  const text = message
    .replace(/^error: /, '')
    .replace(/\n/g, ' ')
    .replace(/=[^']*/, '=…')
  return sentence(text)
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? '' : '.'}`

function printError(error: Error, json: boolean, io: Io): ExitCode {
  const known = error instanceof CliError ? error : new CliError('internal_error', error.message, { cause: error })
  if (json) {
    io.out.write(jsonText({ ok: false, error: known.message, code: known.code, ...known.details }))
    return known.exit
  }
  const { red, dim } = createPalette(io.err)
  const sign = known.exit === EXIT.interrupted ? '' : `${red('Error:')} `
  io.err.write(`${sign}${plainLine(known.spoken)}\n`)
  if (known.listing) io.err.write(`\n${known.listing}`)
  if (known.hints.length > 0) io.err.write(`\n${known.hints.map((hint) => dim(plainLine(hint))).join('\n')}\n`)
  return known.exit
}
