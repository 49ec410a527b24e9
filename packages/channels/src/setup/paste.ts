import { ChannelError, type ChannelErrorCode } from '../errors.ts'
import { type SetupField, SetupFailure, type SetupGuide, type SetupWorld } from './guide.ts'

/** The values to paste. */
export interface PasteQuestion {
  readonly fields: readonly SetupField[]
  /** The page with the values. */
  readonly url?: string
}

/** Options of `pasteGuide`. */
export interface PasteOptions extends PasteQuestion {
  readonly title: string
  readonly instructions: readonly string[]
}

/** Errors after which other values may succeed. */
const RETRYABLE: ReadonlySet<ChannelErrorCode> = new Set([
  'credentials_invalid',
  'credentials_rejected',
  'platform_unreachable',
  'bot_in_use',
])

/** Creates a guide that asks for values from a console until they are accepted and saved, or the setup is abandoned. */
export const pasteGuide = ({ title, instructions, ...question }: PasteOptions): SetupGuide => ({
  kind: 'paste',
  title,
  instructions,
  run: async (world, signal) => void (await requestUntilSaved(world, question, signal)),
})

type Values = Readonly<Record<string, string>>

/**
 * Asks for values until they are accepted and saved.
 * @param read What is saved of that which was pasted.
 * @param most How often it is asked.
 * @returns what was saved
 * @throws {SetupFailure} `refused` after `most` tries; {ChannelError} what other values do not mend
 */
export async function requestUntilSaved(
  world: SetupWorld,
  question: PasteQuestion,
  signal: AbortSignal,
  read: (pasted: Values) => Values = (pasted) => pasted,
  max = Number.POSITIVE_INFINITY,
): Promise<Values> {
  let message = `Paste ${question.fields.map(({ label }) => label).join(' and ')}.`
  for (let tries = 0; tries < max; tries++) {
    const values = read(await world.ask({ message, ...question }, signal))
    const problem = await trySave(world, values)
    if (problem === null) return values
    message = problem
  }
  throw new SetupFailure('refused', `Too many attempts. ${message} Start over.`)
}

async function trySave(world: SetupWorld, values: Values): Promise<string | null> {
  try {
    await world.save(values)
    return null
  } catch (error) {
    if (error instanceof ChannelError && RETRYABLE.has(error.code)) return error.message
    throw error
  }
}
