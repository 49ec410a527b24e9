import { ChannelError, type ChannelErrorCode } from '../errors.ts'
import type { SetupField, SetupGuide, SetupWorld } from './guide.ts'

export interface PasteOptions {
  readonly title: string
  readonly instructions: readonly string[]
  /** The page on which the values are found. */
  readonly url?: string
  readonly fields: readonly SetupField[]
  /** What is saved besides, e.g. the domain that belongs to the values. */
  readonly also?: Readonly<Record<string, unknown>>
}

/** What another value may mend. */
const AGAIN: ReadonlySet<ChannelErrorCode> = new Set([
  'credentials_invalid',
  'credentials_rejected',
  'platform_unreachable',
  'bot_in_use',
])

/** The way of copying values from a console: asks for them until they are accepted and saved, or nobody answers any more. */
export const pasteGuide = (options: PasteOptions): SetupGuide => ({
  kind: 'paste',
  title: options.title,
  instructions: options.instructions,
  async run(world, signal) {
    const question = options.url === undefined ? {} : { url: options.url }
    let message = `Paste ${options.fields.map(({ label }) => label).join(' and ')}.`
    for (;;) {
      const values = await world.ask({ message, fields: options.fields, ...question }, signal)
      const problem = await refusalOf(world, { ...options.also, ...values })
      if (problem === null) return
      message = problem
    }
  },
})

async function refusalOf(world: SetupWorld, fields: Readonly<Record<string, unknown>>): Promise<string | null> {
  try {
    await world.save(fields)
    return null
  } catch (error) {
    if (error instanceof ChannelError && AGAIN.has(error.code)) return error.message
    throw error
  }
}
