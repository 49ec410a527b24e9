import { type ExitCode, usageError } from './exit-code.ts'
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

/** How one argument is written on the command line. */
export type ArgSpec = Positional<'required' | 'optional'> | Flag | Switch | Value

/** Describes how each argument of `A` is written on the command line. Keys are argument names in camel case. */
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
  /** One line for the overview in `--help`. */
  readonly summary: string
  /** Lines shown below the options in `--help`. */
  readonly examples: readonly string[]
}

/** A command of the command line. */
export interface Command<A> extends CommandText {
  readonly args: ArgSpecs<A>
  /** @throws {CliError} for every expected failure */
  run(args: A, io: Io): Promise<ExitCode>
}

/** Parsed arguments by name. */
export type RawArgs = Readonly<Record<string, string | boolean | undefined>>

/** A command whose argument type is known only at run time. */
export interface AnyCommand extends CommandText {
  readonly args: Readonly<Record<string, ArgSpec>>
  run(args: RawArgs, io: Io): Promise<ExitCode>
}

/** Arguments of every command that talks to the server. */
export interface ServerArgs {
  readonly url: string | undefined
  readonly json: boolean
}
/** Options of `ServerArgs`. */
export const SERVER_ARGS: ArgSpecs<ServerArgs> = {
  url: { kind: 'value', placeholder: 'address', describe: 'server address, e.g. http://127.0.0.1:7070' },
  json: { kind: 'flag', describe: "print the API's JSON" },
}

/** Arguments of commands that act on one platform. */
export interface PlatformArgs extends ServerArgs {
  readonly platform: string
}
/** Arguments of `PlatformArgs`. */
export const PLATFORM_ARGS: ArgSpecs<PlatformArgs> = {
  platform: { kind: 'required', describe: 'platform name or alias' },
  ...SERVER_ARGS,
}

/** The command as people type it, in a clone as well as in an installation. */
export const PROGRAM = 'npx gatepost'

/** Arguments of paginated lists. */
export interface PageArgs {
  readonly limit: string | undefined
  readonly before: string | undefined
}
/** The option `--limit`. */
export const LIMIT_ARG = {
  kind: 'value',
  placeholder: 'count',
  describe: 'number of entries, 1 to 200 (default 20)',
} as const
/** Options of `PageArgs`. */
export const PAGE_ARGS: ArgSpecs<PageArgs> = {
  limit: LIMIT_ARG,
  before: { kind: 'value', placeholder: 'cursor', describe: 'show the page before this cursor' },
}

/** Returns the page to request. @throws {CliError} `usage` */
export const parsePage = (args: PageArgs): { readonly limit: string; readonly before: string | undefined } => ({
  limit: parseLimit(args),
  before: args.before,
})

/** Returns the number of entries to request, as text. @throws {CliError} `usage` */
export function parseLimit({ limit = '20' }: { readonly limit: string | undefined }): string {
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 200)
    throw usageError('--limit must be a number from 1 to 200.')
  return limit
}
