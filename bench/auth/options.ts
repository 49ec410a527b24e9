import { parseArgs } from 'node:util'

export const STAGES = ['check', 'login', 'busy', 'start', 'memory'] as const
export type Stage = (typeof STAGES)[number]

export interface BenchOptions {
  readonly quick: boolean
  readonly stages: ReadonlySet<Stage>
  /** Where the figures are written as JSON. */
  readonly json: string
  /** How often the peers are measured in turn. */
  readonly rounds: number
  /** Folder for processor profiles of the servers; `null`: none. */
  readonly profile: string | null
}

/** @throws {TypeError} for arguments that are not known, {RangeError} for values that cannot be */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: STAGES.join(',') },
      json: { type: 'string', default: '.cache/bench-auth.json' },
      rounds: { type: 'string', default: '' },
      profile: { type: 'string' },
    },
  })
  const rounds = Number(values.rounds || (values.quick ? '3' : '5'))
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds is a whole number from 1')
  const stages = values.only.split(',').map((name) => {
    const stage = STAGES.find((known) => known === name)
    if (stage === undefined) throw new RangeError(`--only knows ${STAGES.join(', ')}, not ${name}`)
    return stage
  })
  return { quick: values.quick, stages: new Set(stages), json: values.json, rounds, profile: values.profile ?? null }
}
