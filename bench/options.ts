import { parseArgs } from 'node:util'

/** The options of a benchmark. */
export interface BenchOptions<Stage extends string> {
  readonly quick: boolean
  readonly stages: ReadonlySet<Stage>
  /** The file to write the metrics to, as JSON. */
  readonly json: string
  /** How many times a measurement is repeated. */
  readonly rounds: number
  /** Folder for CPU profiles of the servers under load, or `null`. */
  readonly profile: string | null
}

/** The defaults of a benchmark. */
interface BenchDefaults<Stage extends string> {
  readonly stages: readonly Stage[]
  readonly json: string
  readonly rounds: { readonly quick: number; readonly full: number }
}

/** Parses a command line. @throws {TypeError} for unknown arguments, {RangeError} for invalid values */
function parseBenchOptions<const Stage extends string>(
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
  if (!Number.isInteger(rounds) || rounds < 1) throw new RangeError('--rounds must be a positive integer')
  const stages = values.only.split(',').map((name) => {
    const stage = defaults.stages.find((known) => known === name)
    if (stage === undefined) throw new RangeError(`--only accepts ${defaults.stages.join(', ')}, not ${name}`)
    return stage
  })
  return { quick: values.quick, stages: new Set(stages), json: values.json, rounds, profile: values.profile ?? null }
}

/** A part of the gateway's benchmark. */
export type GatewayStage = 'start' | 'console' | 'idle' | 'six' | 'latency' | 'throughput' | 'memory'

/** Parses the command line of the gateway's benchmark. @throws as `parseBenchOptions` */
export const parseGatewayOptions = (args: readonly string[]): BenchOptions<GatewayStage> =>
  parseBenchOptions(args, {
    stages: ['start', 'console', 'idle', 'six', 'latency', 'throughput', 'memory'],
    json: '.cache/bench-gateway.json',
    rounds: { quick: 1, full: 3 },
  })

/** A part of the accounts benchmark. */
export type AuthStage = 'check' | 'api' | 'jwt' | 'oidc' | 'login' | 'busy' | 'start' | 'memory' | 'timing'

/** Parses the command line of the benchmark of accounts. @throws as `parseBenchOptions` */
export const parseAuthOptions = (args: readonly string[]): BenchOptions<AuthStage> =>
  parseBenchOptions(args, {
    stages: ['check', 'api', 'jwt', 'oidc', 'login', 'busy', 'start', 'memory', 'timing'],
    json: '.cache/bench-auth.json',
    rounds: { quick: 3, full: 5 },
  })
