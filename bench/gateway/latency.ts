import type { Metric } from '../metrics.ts'
import type { Latencies, LoadProcess } from './load-process.ts'
import { startBareBot } from './peers.ts'
import { measureRounds, percentile } from '../statistics.ts'
import { createServiceFolder } from './service.ts'

export interface LatencyOptions {
  readonly rounds: number
  /** Sent one after the other. */
  readonly messages: number
  readonly perSecond: number
  readonly rateMessages: number
  readonly warmUp: number
}

/**
 * Measures the time from the poll that delivers an update to the arrival of the reply, compared with a bot that only
 * replies.
 */
export async function measureLatency(load: LoadProcess, options: LatencyOptions): Promise<readonly Metric[]> {
  const values = await measureRounds(options.rounds, async () => {
    const bare = await talkWithBareBot(load, options)
    const folder = await createServiceFolder(load.url)
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
  const metric = (name: string, key: keyof typeof values, peer: keyof typeof values, atMost?: number): Metric => ({
    name,
    unit: 'ms',
    ...values[key],
    ...(atMost === undefined ? {} : { target: { atMost } }),
    ratios: { 'bare bot': values[key].value / values[peer].value },
  })
  return [
    metric('sequential, p50', 'p50', 'bareP50', 5),
    metric('sequential, p99', 'p99', 'bareP99', 25),
    metric(`${options.perSecond}/s, p50`, 'rateP50', 'bareRateP50'),
    metric(`${options.perSecond}/s, p99`, 'rateP99', 'bareRateP99'),
    metric(`${options.perSecond}/s, p99 including the wait for the poll`, 'saidP99', 'bareRateP99'),
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
