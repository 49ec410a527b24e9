import type { Saturation } from './load-commands.ts'
import type { LoadProcess } from './load-process.ts'
import { startBareBot } from './peers.ts'
import { serviceFolder } from './service.ts'

export const USERS = 1_000

export interface ThroughputOptions {
  readonly forMs: number
  readonly warmUpMs: number
  readonly databaseUrl?: string
  /** E.g. `--cpu-prof`. */
  readonly nodeOptions?: readonly string[]
}

/** 1,000 people who say the next thing as soon as they are answered. */
export async function measureService(load: LoadProcess, options: ThroughputOptions): Promise<Saturation> {
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

export async function measureBareBot(load: LoadProcess, options: ThroughputOptions): Promise<Saturation> {
  const bot = await startBareBot(load)
  try {
    return await saturate(load, bot.pid, options)
  } finally {
    await bot.stop()
  }
}

const saturate = (load: LoadProcess, pid: number, { forMs, warmUpMs }: ThroughputOptions): Promise<Saturation> =>
  load.saturate({ users: USERS, warmUpMs, forMs, messages: Number.MAX_SAFE_INTEGER, pid })
