import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { now, pause, readProcessUsage } from '../machine.ts'
import type { Metric } from '../metrics.ts'
import { median } from '../statistics.ts'
import type { LoadProcess } from './load-process.ts'
import { startEmptyServer } from './peers.ts'
import { createServiceFolder, createServiceFolderWith, type Service } from './service.ts'

/** How long to wait for startup work to finish, ms. */
const SETTLE_MS = 6_000

/** Measures memory and CPU of a service with one connected channel and no messages. */
export async function measureIdle(load: LoadProcess, forMs: number): Promise<readonly Metric[]> {
  const folder = await createServiceFolder(load.url)
  const [service, peer] = await Promise.all([folder.start(), startEmptyServer()])
  try {
    await service.connect(load.token)
    await pause(SETTLE_MS)
    const [before, beganAtMs] = [await readProcessUsage(service.pid), now()]
    await pause(forMs)
    const [after, tookMs] = [await readProcessUsage(service.pid), now() - beganAtMs]
    const empty = await readProcessUsage(peer.pid)
    return [
      {
        name: 'RSS',
        value: after.residentBytes / 2 ** 20,
        unit: 'MiB',
        target: { atMost: 120 },
        ratios: { 'empty server': after.residentBytes / empty.residentBytes },
      },
      {
        name: 'CPU',
        value: ((after.cpuMs - before.cpuMs) / tookMs) * 100,
        unit: '% of one core',
        target: { atMost: 0.2 },
      },
    ]
  } finally {
    await Promise.all([service.stop(), peer.stop()])
    await folder.remove()
  }
}

/** Time from the last reply to the measurement, long enough for follow-up work to finish, ms. */
const IDLE_MS = 20_000
const ANSWER_MS = 20_000
const TARGET_BYTES = 160e6

interface SixIdleOptions {
  readonly rounds: number
  readonly quietMs?: number
  /** E.g. `--heap-prof`. */
  readonly nodeOptions?: readonly string[]
}

/**
 * Measures memory and CPU of an idle service that has replied once on each of the six platforms. Reports the first
 * start after an installation separately, because it strips and compiles every module.
 */
export async function measureSixIdle({ rounds, ...options }: SixIdleOptions): Promise<readonly Metric[]> {
  const cache = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-cache-'))
  try {
    const first = await readOnce(cache, options)
    const readings: Reading[] = []
    for (let round = 0; round < rounds; round += 1) readings.push(await readOnce(cache, options))
    return toIdleMetrics(first, readings)
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
}

function toIdleMetrics(first: Reading, readings: readonly Reading[]): readonly Metric[] {
  const of = (values: readonly number[], unit: number): Pick<Metric, 'value' | 'range'> => ({
    value: median(values) / unit,
    range: [Math.min(...values) / unit, Math.max(...values) / unit],
  })
  const resident = readings.map(({ residentBytes }) => residentBytes)
  const ratio = median(readings.map(({ residentBytes, emptyBytes }) => residentBytes / emptyBytes))
  const processor = readings.map(({ cpuShare }) => cpuShare)
  return [
    {
      name: 'RSS',
      ...of(resident, 1e6),
      unit: 'MB',
      target: { atMost: TARGET_BYTES / 1e6 },
      ratios: { 'empty server': ratio },
    },
    { name: 'RSS, first start', value: first.residentBytes / 1e6, unit: 'MB' },
    { name: 'CPU', ...of(processor, 0.01), unit: '% of one core' },
  ]
}

interface Reading {
  readonly residentBytes: number
  readonly emptyBytes: number
  /** Share of one core. */
  readonly cpuShare: number
}

/** Makes one measurement. @param cache The compile cache, shared by all starts. */
async function readOnce(
  cache: string,
  { quietMs = IDLE_MS, nodeOptions = [] }: Omit<SixIdleOptions, 'rounds'>,
): Promise<Reading> {
  await using cleanup = new AsyncDisposableStack()
  const emulators = await startEmulators()
  for (const emulator of emulators) cleanup.defer(() => emulator.close())
  const hosts = Object.fromEntries(emulators.flatMap(({ environment }) => Object.entries(environment)))
  const folder = await createServiceFolderWith({ ...hosts, NODE_COMPILE_CACHE: cache })
  cleanup.defer(() => folder.remove())
  const [service, peer] = await Promise.all([folder.start(nodeOptions), startEmptyServer()])
  cleanup.defer(async () => void (await Promise.all([service.stop(), peer.stop()])))
  for (const emulator of emulators) await converse(service, emulator)
  const [before, beganAtMs] = [await readProcessUsage(service.pid), now()]
  await pause(quietMs)
  const [after, tookMs] = [await readProcessUsage(service.pid), now() - beganAtMs]
  const { residentBytes: emptyBytes } = await readProcessUsage(peer.pid)
  return { residentBytes: after.residentBytes, emptyBytes, cpuShare: (after.cpuMs - before.cpuMs) / tookMs }
}

/** Saves the emulator's bot and waits for one reply from it. */
async function converse(service: Service, { platform, control }: RunningEmulator): Promise<void> {
  const { credentials } = await control.bot()
  await service.save(platform, credentials)
  const text = 'How are you?'
  await control.say({ from: { id: '4711', name: 'Ann' }, text })
  for (const untilMs = now() + ANSWER_MS; now() < untilMs; ) {
    const shown = await control.waitForSent({ timeoutMs: 500 })
    if (shown.some((message) => message.text.includes(text) && !message.unfinished)) return
    await pause(50)
  }
  throw new Error(`${platform} doesn't reply`)
}
