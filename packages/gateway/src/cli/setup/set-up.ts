import type { PlatformArgs } from '../command.ts'
import type { ExitCode } from '../exit-code.ts'
import type { Io } from '../io.ts'
import { NO_MODE } from './args.ts'

/** Runs the guided setup from within another command. Loads it on demand. */
export async function setUp(args: PlatformArgs, io: Io, baseUrl?: string): Promise<ExitCode> {
  const { setup } = await import('./setup.ts')
  return setup.run({ ...NO_MODE, ...args, baseUrl }, io)
}
