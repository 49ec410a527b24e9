import { benchOptions, type BenchOptions } from '../options.ts'

export type Stage = 'start' | 'console' | 'idle' | 'six' | 'latency' | 'throughput' | 'memory'

/** @throws as `benchOptions` */
export const readOptions = (args: readonly string[]): BenchOptions<Stage> =>
  benchOptions(args, {
    stages: ['start', 'console', 'idle', 'six', 'latency', 'throughput', 'memory'],
    json: '.cache/bench-gateway.json',
    rounds: { quick: 1, full: 3 },
  })
