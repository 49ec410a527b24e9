import type { ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import type { SetupArgs } from './args.ts'

/** The interface that programs use to set one platform up: exact words on standard output, and exit codes. */
export interface HelperMode {
  readonly platform: string
  isAsked(args: SetupArgs): boolean
  run(args: SetupArgs, io: Io): Promise<ExitCode>
}
