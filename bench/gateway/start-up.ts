import { now } from './clock.ts'
import type { Figure } from '../figures.ts'
import type { LoadProcess } from './load-process.ts'
import { bareNodeMs, startEmptyServer } from './peers.ts'
import { serviceFolder } from './service.ts'
import { median } from './statistics.ts'

/** From the start of the process until it says that it is ready, and until the platform has answered its first poll. */
export async function measureStartUp(load: LoadProcess, times: number): Promise<readonly Figure[]> {
  const folder = await serviceFolder(load.url)
  const [ready, polled, node, server]: number[][] = [[], [], [], []]
  try {
    await prepare(folder, load)
    for (let n = 0; n < times; n += 1) {
      node?.push(await bareNodeMs())
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
  return figuresOf(ready ?? [], polled ?? [], node ?? [], server ?? [])
}

/** The channel is saved, and the compile cache warm. */
async function prepare(folder: Awaited<ReturnType<typeof serviceFolder>>, load: LoadProcess): Promise<void> {
  const service = await folder.start()
  await service.connect(load.token)
  await service.stop()
}

function figuresOf(
  ready: readonly number[],
  polled: readonly number[],
  node: readonly number[],
  server: readonly number[],
): readonly Figure[] {
  const of = (values: readonly number[]): Pick<Figure, 'value' | 'unit' | 'range'> => ({
    value: median(values),
    unit: 'ms',
    range: [Math.min(...values), Math.max(...values)],
  })
  const ratios = { 'node -e 0': median(ready) / median(node), 'empty server': median(ready) / median(server) }
  return [
    { name: 'ready', ...of(ready), target: { atMost: 1_000 }, ratios },
    { name: 'first poll answered', ...of(polled) },
    { name: 'peer: node -e 0', ...of(node) },
    { name: 'peer: empty Hono server', ...of(server) },
  ]
}
