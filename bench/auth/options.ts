import { benchOptions, type BenchOptions } from '../options.ts'

export type Stage = 'check' | 'api' | 'jwt' | 'oidc' | 'login' | 'busy' | 'start' | 'memory' | 'timing'

/** @throws as `benchOptions` */
export const readOptions = (args: readonly string[]): BenchOptions<Stage> =>
  benchOptions(args, {
    stages: ['check', 'api', 'jwt', 'oidc', 'login', 'busy', 'start', 'memory', 'timing'],
    json: '.cache/bench-auth.json',
    rounds: { quick: 3, full: 5 },
  })
