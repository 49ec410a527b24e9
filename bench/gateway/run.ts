import { measureCapacity } from './throughput.ts'
import { measureConsole } from './console.ts'
import { report, type Section } from '../metrics.ts'
import { measureIdle, measureSixIdle } from './idle.ts'
import { measureLatency } from './latency.ts'
import { type LoadProcess, startLoad } from './load-process.ts'
import { measureMemory } from './memory.ts'
import { parseGatewayOptions, type BenchOptions, type GatewayStage } from '../options.ts'
import { measureStartUp } from './start-up.ts'

await report(parseGatewayOptions(process.argv.slice(2)), measure)

async function measure({ quick, stages, rounds, profile }: BenchOptions<GatewayStage>): Promise<readonly Section[]> {
  const done: Section[] = []
  const section = async (title: string, work: (load: LoadProcess) => Promise<Section['metrics']>): Promise<void> => {
    console.error(`${title} …`)
    const load = await startLoad()
    try {
      done.push({ title, metrics: await work(load) })
    } finally {
      await load.stop()
    }
  }
  if (stages.has('start')) await section('Startup', (load) => measureStartUp(load, quick ? 3 : 10))
  if (stages.has('console')) await section('Web console', (load) => measureConsole(load, quick ? 3 : 10))
  if (stages.has('idle')) await section('Idle', (load) => measureIdle(load, quick ? 5_000 : 30_000))
  if (stages.has('six')) await section('Idle, six platforms', () => measureSixIdle({ rounds }))
  if (stages.has('latency')) {
    const counts = quick ? { messages: 100, rateMessages: 200 } : { messages: 500, rateMessages: 1_000 }
    await section('Latency', (load) => measureLatency(load, { rounds, perSecond: 100, warmUp: 100, ...counts }))
  }
  if (stages.has('throughput')) {
    const times = quick ? { forMs: 5_000, warmUpMs: 2_000 } : { forMs: 20_000, warmUpMs: 3_000 }
    const nodeOptions = profile === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
    const limitMessages = quick ? 2_000 : 10_000
    await section('Throughput', (load) => measureCapacity(load, { rounds, limitMessages, nodeOptions, ...times }))
  }
  if (stages.has('memory')) await section('Memory', (load) => measureMemory(load, quick ? 10_000 : 100_000))
  return done
}
