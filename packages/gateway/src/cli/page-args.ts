import { usageError } from './exit-code.ts'
import type { ArgSpecs } from './command.ts'

/** Arguments of lists that come in pages. */
export interface PageArgs {
  readonly limit: string | undefined
  readonly before: string | undefined
}
export const LIMIT_ARG = { kind: 'value', placeholder: 'count', describe: 'how many, 1 to 200 (default 20)' } as const
export const PAGE_ARGS: ArgSpecs<PageArgs> = {
  limit: LIMIT_ARG,
  before: { kind: 'value', placeholder: 'mark', describe: 'the page before this one, as the last page named it' },
}

/** The page to ask for. @throws {CliError} `usage` */
export const pageOf = (args: PageArgs): { readonly limit: string; readonly before: string | undefined } => ({
  limit: limitOf(args),
  before: args.before,
})

/** How many to ask for. @throws {CliError} `usage` */
export function limitOf({ limit = '20' }: { readonly limit: string | undefined }): string {
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 200)
    throw usageError('--limit must be a number from 1 to 200.')
  return limit
}
