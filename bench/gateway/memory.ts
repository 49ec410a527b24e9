import type { Figure } from '../figures.ts'
import type { LoadProcess } from './load-process.ts'
import { serviceFolder } from './service.ts'
import { slope } from './statistics.ts'
import { USERS } from './throughput.ts'

/** What the process grows by in its first part belongs to its warm-up. */
const WARM_UP_SHARE = 0.3
/** In which the messages are surely said. */
const A_DAY_MS = 86_400_000

/** Resident memory while `messages` messages are answered. */
export async function measureMemory(load: LoadProcess, messages: number): Promise<readonly Figure[]> {
  const folder = await serviceFolder(load.url)
  const service = await folder.start()
  const samples: (readonly [answers: number, mebibytes: number])[] = []
  try {
    await service.connect(load.token)
    const all = { users: USERS, messages, pid: service.pid, warmUpMs: 0, forMs: A_DAY_MS }
    await load.saturate(all, ({ answers, residentBytes }) => samples.push([answers, residentBytes / 2 ** 20]))
    const warm = samples.filter(([answers]) => answers >= messages * WARM_UP_SHARE)
    const last = warm.slice(-Math.ceil(warm.length / 4)).map(([, mebibytes]) => mebibytes)
    return [
      { name: `growth over ${messages} messages`, value: slope(warm) * 10_000, unit: 'MiB per 10 000' },
      { name: 'resident at the end', value: Math.max(...last), unit: 'MiB' },
    ]
  } finally {
    await service.stop()
    await folder.remove()
  }
}
