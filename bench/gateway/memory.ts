import type { Metric } from '../metrics.ts'
import type { LoadProcess } from './load-process.ts'
import { createServiceFolder } from './service.ts'
import { fitSlope } from '../statistics.ts'
import { USERS } from './throughput.ts'

/** Growth in this first part of the run is warm-up. */
const WARM_UP_SHARE = 0.3
/** Longer than the run takes. */
const A_DAY_MS = 86_400_000

/** Measures resident memory while the service replies to `messages` messages. */
export async function measureMemory(load: LoadProcess, messages: number): Promise<readonly Metric[]> {
  const folder = await createServiceFolder(load.url)
  const service = await folder.start()
  const samples: (readonly [answers: number, mebibytes: number])[] = []
  try {
    await service.connect(load.token)
    const all = { users: USERS, messages, pid: service.pid, warmUpMs: 0, forMs: A_DAY_MS }
    await load.saturate(all, ({ answers, residentBytes }) => samples.push([answers, residentBytes / 2 ** 20]))
    const warm = samples.filter(([answers]) => answers >= messages * WARM_UP_SHARE)
    const last = warm.slice(-Math.ceil(warm.length / 4)).map(([, mebibytes]) => mebibytes)
    return [
      {
        name: `memory growth over ${messages} messages`,
        value: fitSlope(warm) * 10_000,
        unit: 'MiB per 10,000 messages',
      },
      { name: 'RSS at the end', value: Math.max(...last), unit: 'MiB' },
    ]
  } finally {
    await service.stop()
    await folder.remove()
  }
}
