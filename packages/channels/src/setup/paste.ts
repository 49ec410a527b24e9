import { ChannelError, type ChannelErrorCode } from '../errors.ts'
import { type SetupField, SetupFailure, type SetupGuide, type SetupWorld } from './guide.ts'

export interface PasteQuestion {
  readonly fields: readonly SetupField[]
  /** The page on which the values are found. */
  readonly url?: string
}

export interface PasteOptions extends PasteQuestion {
  readonly title: string
  readonly instructions: readonly string[]
}

/** What another value may mend. */
const AGAIN: ReadonlySet<ChannelErrorCode> = new Set([
  'credentials_invalid',
  'credentials_rejected',
  'platform_unreachable',
  'bot_in_use',
])

/** The way of copying values from a console: asks for them until they are accepted and saved, or nobody answers any more. */
export const pasteGuide = ({ title, instructions, ...question }: PasteOptions): SetupGuide => ({
  kind: 'paste',
  title,
  instructions,
  run: async (world, signal) => void (await askUntilSaved(world, question, signal)),
})

type Values = Readonly<Record<string, string>>

/**
 * Asks for values until they are accepted and saved.
 * @param read What is saved of that which was pasted.
 * @param most How often it is asked.
 * @returns what was saved
 * @throws {SetupFailure} `refused` after `most` tries; {ChannelError} what other values do not mend
 */
export async function askUntilSaved(
  world: SetupWorld,
  question: PasteQuestion,
  signal: AbortSignal,
  read: (pasted: Values) => Values = (pasted) => pasted,
  most = Number.POSITIVE_INFINITY,
): Promise<Values> {
  let message = `Paste ${question.fields.map(({ label }) => label).join(' and ')}.`
  for (let tries = 0; tries < most; tries++) {
    const values = read(await world.ask({ message, ...question }, signal))
    const problem = await refusalOf(world, values)
    if (problem === null) return values
    message = problem
  }
  throw new SetupFailure('refused', `Nothing was accepted: ${message} Start again.`)
}

async function refusalOf(world: SetupWorld, values: Values): Promise<string | null> {
  try {
    await world.save(values)
    return null
  } catch (error) {
    if (error instanceof ChannelError && AGAIN.has(error.code)) return error.message
    throw error
  }
}
