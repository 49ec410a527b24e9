import { parseArgs } from 'node:util'

/** How a bench is run. */
export interface BenchOptions<Stage extends string> {
  readonly quick: boolean
  readonly stages: ReadonlySet<Stage>
  /** Where the figures are written as JSON. */
  readonly json: string
  /** How often what varies with the machine is repeated. */
  readonly rounds: number
  /** Folder for processor profiles of the servers under load; `null`: none. */
  readonly profile: string | null
}

/** What differs between benches. */
export interface BenchDefaults<Stage extends string> {
  readonly stages: readonly Stage[]
  readonly json: string
  readonly rounds: { readonly quick: number; readonly full: number }
}

/** @throws {TypeError} for arguments that are not known, {RangeError} for values that cannot be */
export function benchOptions<const Stage extends string>(
  args: readonly string[],
  defaults: BenchDefaults<Stage>,
): BenchOptions<Stage> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: defaults.stages.join(',') },
      json: { type: 'string', default: defaults.json },
      rounds: { type: 'string', default: '' },
      profile: { type: 'string' },
    },
  })
  const { quick, full } = defaults.rounds
  const rounds = Number(values.rounds || (values.quick ? quick : full))
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds is a whole number from 1')
  const stages = values.only.split(',').map((name) => {
    const stage = defaults.stages.find((known) => known === name)
    if (stage === undefined) throw new RangeError(`--only knows ${defaults.stages.join(', ')}, not ${name}`)
    return stage
  })
  return { quick: values.quick, stages: new Set(stages), json: values.json, rounds, profile: values.profile ?? null }
}
