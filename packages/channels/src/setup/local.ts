import type { PlatformIo } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import { platforms } from '../platforms/registry.ts'
import { requireShowableStep, type SetupKind, type SetupStep, type SetupWorld } from './guide.ts'

/** Options of `runSetup`. */
export interface LocalSetup {
  readonly platform: PlatformId
  readonly kind: SetupKind
  readonly io: PlatformIo
  readonly show: (step: SetupStep) => void
}

/**
 * Runs a guide without the service, for a program that saves the credentials itself.
 * @returns the credentials; `null`: the platform has no such method, or there is nothing to save.
 * @throws {SetupFailure}
 */
export async function runSetup(
  { platform, kind, io, show }: LocalSetup,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | null> {
  const guide = platforms[platform].setups.find((one) => one.kind === kind)
  let found: Readonly<Record<string, unknown>> | null = null
  const world: SetupWorld = {
    io,
    stored: null,
    isRejected: false,
    resumed: null,
    keep: () => Promise.resolve(),
    show: (step) => show(requireShowableStep(step)),
    ask: ({ message }) => Promise.reject(new Error(`no one to ask: ${message}`)),
    save: async (fields) => {
      found = fields
    },
  }
  await guide?.run(world, signal)
  return found
}
