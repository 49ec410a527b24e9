import type { PlatformIo } from '../platform-io.ts'
import type { SetupGuide, SetupQuestion, SetupStep, SetupWorld } from './guide.ts'

/** Someone who is led through a setup, and what came of it. */
export interface Person {
  readonly world: SetupWorld
  readonly steps: readonly SetupStep[]
  readonly questions: readonly SetupQuestion[]
  readonly saved: readonly Saved[]
  /** The progress that was kept, in order. */
  readonly kept: readonly unknown[]
  /** @returns what the guide threw; `undefined`: all went well. */
  follow(guide: SetupGuide | undefined, signal?: AbortSignal): Promise<unknown>
}

interface Saved {
  readonly fields: Readonly<Record<string, unknown>>
  readonly firstUser: unknown
}

/** Options of `personAt`. */
export interface PersonOptions {
  readonly stored?: SetupWorld['stored']
  readonly isRejected?: boolean
  /** The progress to go on from. */
  readonly resumed?: unknown
  /** What is typed in; `undefined`: the question should not have come. @param count How many there were. */
  readonly answer?: (question: SetupQuestion, count: number) => Readonly<Record<string, string>> | undefined
  /** Whenever something new is shown. @param count How often something was. */
  readonly see?: (step: SetupStep, count: number) => unknown
  /** Before something is kept: what it throws, `save` throws. */
  readonly save?: (fields: Readonly<Record<string, unknown>>) => void
}

/** Creates a setup world with a simulated user. */
export function personAt(
  io: PlatformIo,
  { stored = null, isRejected = false, resumed = null, answer, see, save }: PersonOptions = {},
): Person {
  const steps: SetupStep[] = []
  const questions: SetupQuestion[] = []
  const saved: Saved[] = []
  const kept: unknown[] = []
  const world: SetupWorld = {
    io,
    stored,
    isRejected,
    resumed,
    async keep(progress) {
      kept.push(progress)
    },
    show(step) {
      steps.push(step)
      void see?.(step, steps.length)
    },
    async ask(question) {
      questions.push(question)
      const typed = answer?.(question, questions.length)
      if (typed === undefined) throw new Error('this was not to be asked')
      return typed
    },
    async save(fields, firstUser) {
      save?.(fields)
      saved.push({ fields, firstUser })
    },
  }
  const follow = async (guide: SetupGuide | undefined, signal = new AbortController().signal): Promise<unknown> => {
    if (guide === undefined) throw new Error('there is no such way')
    return guide.run(world, signal).then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  return { world, steps, questions, saved, kept, follow }
}
