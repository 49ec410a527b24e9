import { CliError, EXIT } from './exit-code.ts'
import { plainLine } from './text.ts'

/** An option of a select prompt. */
export interface Choice<T> {
  readonly value: T
  readonly label: string
}

/** Interactive prompts. Each one throws `CliError` `cancelled` on Ctrl-C or Escape. */
export interface Prompts {
  intro(title: string): void
  outro(text: string): void
  /** Prints a framed text of several lines. */
  note(title: string, lines: readonly string[]): void
  info(text: string): void
  /** Prompts without echo. `check` returns an error message, or `undefined` if the value is valid. */
  secret(question: string, check: (value: string) => string | undefined): Promise<string>
  text(question: string, initial: string, check: (value: string) => string | undefined): Promise<string>
  confirm(question: string, initial: boolean): Promise<boolean>
  choose<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<T>
  /**
   * Shows a spinner until `work` is done, then `outcome` or the error message. A function as `text` is called every
   * second.
   */
  busy<T>(text: string | (() => string), work: () => Promise<T>, outcome: (result: T) => string): Promise<T>
}

const createCancelledError = (): CliError =>
  new CliError('cancelled', 'Cancelled. Nothing was changed.', { exit: EXIT.interrupted })

/** Returns prompts on this terminal. Loads the prompt library. */
export async function terminalPrompts(): Promise<Prompts> {
  const clack = await import('@clack/prompts')
  const requireAnswer = <T>(value: T): Exclude<T, symbol> => {
    if (typeof value === 'symbol') throw createCancelledError()
    return value as Exclude<T, symbol> // the library's only symbol marks a cancelled prompt, handled above
  }
  return {
    intro: (title) => clack.intro(title),
    outro: (text) => clack.outro(text),
    note: (title, lines) => clack.note(lines.join('\n'), title, { format: (line) => line }),
    info: (text) => clack.log.info(text),
    secret: async (message, check) =>
      requireAnswer(
        await clack.password({ message, mask: '*', validate: (value) => check(value?.trim() ?? '') }),
      ).trim(),
    text: async (message, initialValue, check) =>
      requireAnswer(
        await clack.text({ message, initialValue, validate: (value) => check(value?.trim() ?? '') }),
      ).trim(),
    confirm: async (message, initialValue) => requireAnswer(await clack.confirm({ message, initialValue })),
    choose: async (message, choices) => {
      const options = choices.map(({ value, label }) => ({
        value: value as string,
        label,
      })) // widened: the library's conditional option type cannot take a type parameter
      const chosen = requireAnswer(await clack.select<string>({ message, options }))
      const found = choices.find((choice) => choice.value === chosen)
      if (!found) throw createCancelledError()
      return found.value
    },
    busy: async (text, work, outcome) => {
      const spinner = clack.spinner()
      const now = typeof text === 'string' ? () => text : text
      spinner.start(now())
      const ticking = setInterval(() => spinner.message(now()), 1_000)
      try {
        const result = await work()
        spinner.stop(outcome(result))
        return result
      } catch (error) {
        spinner.error(error instanceof CliError ? plainLine(error.spoken) : 'Failed.')
        throw error
      } finally {
        clearInterval(ticking)
      }
    },
  }
}
