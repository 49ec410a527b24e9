import { now, pause } from './clock.ts'
import type { Figure } from '../figures.ts'
import type { LoadProcess } from './load-process.ts'
import { startEmptyServer } from './peers.ts'
import { serviceFolder } from './service.ts'
import { usageOf } from './usage.ts'

/** Until what the start left to do is done, ms. */
const SETTLE_MS = 6_000

/** Memory and processor use of a service with one connected channel on which nobody writes. */
export async function measureIdle(load: LoadProcess, forMs: number): Promise<readonly Figure[]> {
  const folder = await serviceFolder(load.url)
  const [service, peer] = await Promise.all([folder.start(), startEmptyServer()])
  try {
    await service.connect(load.token)
    await pause(SETTLE_MS)
    const [before, beganAtMs] = [await usageOf(service.pid), now()]
    await pause(forMs)
    const [after, tookMs] = [await usageOf(service.pid), now() - beganAtMs]
    const empty = await usageOf(peer.pid)
    return [
      {
        name: 'resident memory',
        value: after.residentBytes / 2 ** 20,
        unit: 'MiB',
        target: { atMost: 120 },
        ratios: { 'empty server': after.residentBytes / empty.residentBytes },
      },
      {
        name: 'processor',
        value: ((after.cpuMs - before.cpuMs) / tookMs) * 100,
        unit: '% of a core',
        target: { atMost: 0.2 },
      },
    ]
  } finally {
    await Promise.all([service.stop(), peer.stop()])
    await folder.remove()
  }
}
