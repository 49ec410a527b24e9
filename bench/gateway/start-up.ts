import { now } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import type { LoadProcess } from './load-process.ts'
import { measureBareNode, startEmptyServer } from './peers.ts'
import { createServiceFolder } from './service.ts'
import { median } from '../statistics.ts'

/**
 * Measures the time from spawning the process until it is ready, and until the platform has responded to its first
 * poll.
 */
export async function measureStartUp(load: LoadProcess, times: number): Promise<readonly Metric[]> {
  const folder = await createServiceFolder(load.url)
  const [ready, polled, node, server]: number[][] = [[], [], [], []]
  try {
    await prepare(folder, load)
    for (let n = 0; n < times; n += 1) {
      node?.push(await measureBareNode())
      const peer = await startEmptyServer()
      server?.push(peer.readyMs)
      await peer.stop()
      const beganAtMs = now()
      const service = await folder.start()
      ready?.push(service.readyAtMs - service.spawnedAtMs)
      polled?.push((await load.firstPoll(beganAtMs)) - service.spawnedAtMs)
      await service.stop()
    }
  } finally {
    await folder.remove()
  }
  return toStartMetrics(ready ?? [], polled ?? [], node ?? [], server ?? [])
}

/** Saves the channel and warms the compile cache. */
async function prepare(folder: Awaited<ReturnType<typeof createServiceFolder>>, load: LoadProcess): Promise<void> {
  const service = await folder.start()
  await service.connect(load.token)
  await service.stop()
}

function toStartMetrics(
  ready: readonly number[],
  polled: readonly number[],
  node: readonly number[],
  server: readonly number[],
): readonly Metric[] {
  const of = (values: readonly number[]): Pick<Metric, 'value' | 'unit' | 'range'> => ({
    value: median(values),
    unit: 'ms',
    range: [Math.min(...values), Math.max(...values)],
  })
  const ratios = { 'node -e 0': median(ready) / median(node), 'empty server': median(ready) / median(server) }
  return [
    { name: 'ready', ...of(ready), target: { atMost: 1_000 }, ratios },
    { name: 'first poll answered', ...of(polled) },
    { name: 'baseline: node -e 0', ...of(node) },
    { name: 'baseline: empty Hono server', ...of(server) },
  ]
}
