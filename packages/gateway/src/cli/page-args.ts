import { usageError } from './exit-code.ts'
import type { ArgSpecs } from './command.ts'

/** Arguments of lists that come in pages. */
export interface PageArgs {
  readonly limit: string | undefined
  readonly before: string | undefined
}
export const PAGE_ARGS: ArgSpecs<PageArgs> = {
  limit: { kind: 'value', placeholder: 'count', describe: 'how many, 1 to 200 (default 20)' },
  before: { kind: 'value', placeholder: 'mark', describe: 'the page before this one, as the last page named it' },
}

/** The page to ask for. @throws {CliError} `usage` */
export function pageOf(args: PageArgs): { readonly limit: string; readonly before: string | undefined } {
  const limit = args.limit ?? '20'
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > 200)
    throw usageError('--limit must be a number from 1 to 200.')
  return { limit, before: args.before }
}
