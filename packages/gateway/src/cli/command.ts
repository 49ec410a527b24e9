import type { ExitCode } from './exit-code.ts'
import type { Io } from './io.ts'

interface Positional<K extends 'required' | 'optional'> {
  readonly kind: K
  readonly describe: string
}
interface Flag {
  readonly kind: 'flag'
  readonly describe: string
}
/** `--name`, `--no-name`, or neither */
interface Switch {
  readonly kind: 'switch'
  readonly describe: string
  readonly describeNo: string
}
/** `--name <placeholder>` */
interface Value {
  readonly kind: 'value'
  readonly placeholder: string
  readonly describe: string
}

export type ArgSpec = Positional<'required' | 'optional'> | Flag | Switch | Value

/** How the arguments of type `A` are written on the command line. A key is the argument's name, in camel case. */
export type ArgSpecs<A> = {
  readonly [K in keyof A]: [A[K]] extends [boolean]
    ? Flag
    : [A[K]] extends [string]
      ? Positional<'required'>
      : [A[K]] extends [boolean | undefined]
        ? Switch
        : Positional<'optional'> | Value
}

interface CommandText {
  readonly name: string
  /** One line for the overview. */
  readonly summary: string
  /** Lines shown below the options in `--help`. */
  readonly examples: readonly string[]
}

export interface Command<A> extends CommandText {
  readonly args: ArgSpecs<A>
  /** @throws {CliError} for every expected failure */
  run(args: A, io: Io): Promise<ExitCode>
}

export type RawArgs = Readonly<Record<string, string | boolean | undefined>>

/** A command whose arguments are only known when the program is put together. */
export interface AnyCommand extends CommandText {
  readonly args: Readonly<Record<string, ArgSpec>>
  run(args: RawArgs, io: Io): Promise<ExitCode>
}

/** Every command that talks to the server takes these. */
export interface ServerArgs {
  readonly url: string | undefined
  readonly json: boolean
}
export const SERVER_ARGS: ArgSpecs<ServerArgs> = {
  url: { kind: 'value', placeholder: 'address', describe: 'the server, e.g. http://127.0.0.1:7070' },
  json: { kind: 'flag', describe: "print the API's JSON" },
}

/** What most of them take. */
export interface PlatformArgs extends ServerArgs {
  readonly platform: string
}
export const PLATFORM_ARGS: ArgSpecs<PlatformArgs> = {
  platform: { kind: 'required', describe: 'which one, by name or alias' },
  ...SERVER_ARGS,
}

/** How a person types the command in a clone as well as in an installation. */
export const PROGRAM = 'npx gatepost'
