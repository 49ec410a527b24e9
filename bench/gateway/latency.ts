import type { Figure } from '../figures.ts'
import type { Latencies } from './load-commands.ts'
import type { LoadProcess } from './load-process.ts'
import { startBareBot } from './peers.ts'
import { inRounds } from './rounds.ts'
import { serviceFolder } from './service.ts'
import { percentile } from './statistics.ts'

export interface LatencyOptions {
  readonly rounds: number
  /** Said one after the other. */
  readonly messages: number
  readonly perSecond: number
  readonly rateMessages: number
  readonly warmUp: number
}

/** From the poll that hands an update out to the arrival of the answer, against a bot that only answers. */
export async function measureLatency(load: LoadProcess, options: LatencyOptions): Promise<readonly Figure[]> {
  const values = await inRounds(options.rounds, async () => {
    const bare = await talkWithBareBot(load, options)
    const folder = await serviceFolder(load.url)
    const service = await folder.start()
    try {
      await service.connect(load.token)
      const own = await talk(load, options)
      return { ...own, bareP50: bare.p50, bareP99: bare.p99, bareRateP50: bare.rateP50, bareRateP99: bare.rateP99 }
    } finally {
      await service.stop()
      await folder.remove()
    }
  })
  const figure = (name: string, key: keyof typeof values, peer: keyof typeof values, atMost?: number): Figure => ({
    name,
    unit: 'ms',
    ...values[key],
    ...(atMost === undefined ? {} : { target: { atMost } }),
    ratios: { 'bare bot': values[key].value / values[peer].value },
  })
  return [
    figure('one at a time, p50', 'p50', 'bareP50', 5),
    figure('one at a time, p99', 'p99', 'bareP99', 25),
    figure(`${options.perSecond}/s, p50`, 'rateP50', 'bareRateP50'),
    figure(`${options.perSecond}/s, p99`, 'rateP99', 'bareRateP99'),
    figure(`${options.perSecond}/s, p99 with the wait for the poll`, 'saidP99', 'bareRateP99'),
  ]
}

async function talkWithBareBot(load: LoadProcess, options: LatencyOptions): ReturnType<typeof talk> {
  const bot = await startBareBot(load)
  try {
    return await talk(load, options)
  } finally {
    await bot.stop()
  }
}

async function talk(
  load: LoadProcess,
  { messages, perSecond, rateMessages, warmUp }: LatencyOptions,
): Promise<Record<'p50' | 'p99' | 'rateP50' | 'rateP99' | 'saidP99', number>> {
  await load.oneByOne(warmUp)
  const one = await load.oneByOne(messages)
  const rate: Latencies = await load.atRate({ perSecond, messages: rateMessages, users: 1_000 })
  return {
    p50: percentile(one.fromHandedMs, 0.5),
    p99: percentile(one.fromHandedMs, 0.99),
    rateP50: percentile(rate.fromHandedMs, 0.5),
    rateP99: percentile(rate.fromHandedMs, 0.99),
    saidP99: percentile(rate.fromSaidMs, 0.99),
  }
}
