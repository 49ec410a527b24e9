import type { LoadProcess } from './load-process.ts'
import { startBareBot } from './peers.ts'
import { serviceFolder } from './service.ts'
import { usageOf } from './usage.ts'

export const USERS = 1_000

export interface ThroughputOptions {
  readonly forMs: number
  readonly warmUpMs: number
  readonly databaseUrl?: string
  /** E.g. `--cpu-prof`. */
  readonly nodeOptions?: readonly string[]
}

export interface Throughput {
  readonly perSecond: number
  /** Processor time of the service for each answered message, ms. */
  readonly cpuMs: number
  /** Share of a core that the emulator and its people used. */
  readonly loadShare: number
}

/** 1,000 people who say the next thing as soon as they are answered. */
export async function measureService(load: LoadProcess, options: ThroughputOptions): Promise<Throughput> {
  const folder = await serviceFolder(load.url, options.databaseUrl)
  const service = await folder.start(options.nodeOptions)
  try {
    await service.connect(load.token)
    return await saturate(load, service.pid, options)
  } finally {
    await service.stop()
    await folder.remove()
  }
}

export async function measureBareBot(load: LoadProcess, options: ThroughputOptions): Promise<Throughput> {
  const bot = await startBareBot(load)
  return saturate(load, bot.pid, options).finally(() => bot.stop())
}

async function saturate(load: LoadProcess, pid: number, { forMs, warmUpMs }: ThroughputOptions): Promise<Throughput> {
  await load.saturate({ users: USERS, forMs: warmUpMs })
  const before = await usageOf(pid)
  const { answers, perSecond, tookMs, loadCpuMs } = await load.saturate({ users: USERS, forMs })
  const after = await usageOf(pid)
  return { perSecond, cpuMs: (after.cpuMs - before.cpuMs) / answers, loadShare: loadCpuMs / tookMs }
}
