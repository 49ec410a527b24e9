import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type RunningEmulator, startEmulators } from '@gatepost/emulators'
import { now, pause } from './clock.ts'
import type { Figure } from '../figures.ts'
import { startEmptyServer } from './peers.ts'
import { type Service, serviceFolderWith } from './service.ts'
import { median } from './statistics.ts'
import { usageOf } from './usage.ts'

/** From the last answer to the look at the memory: what the answers left behind is done by then, ms. */
const QUIET_MS = 20_000
const ANSWER_MS = 20_000
const TARGET_BYTES = 160e6

export interface SixIdleOptions {
  readonly rounds: number
  readonly quietMs?: number
  /** E.g. `--heap-prof`. */
  readonly nodeOptions?: readonly string[]
}

/**
 * Memory and processor use of a service that answered one chat on each of the six platforms, and has nothing to do. The
 * first start after an installation, which strips and compiles every module, is shown for itself.
 */
export async function measureSixIdle({ rounds, ...options }: SixIdleOptions): Promise<readonly Figure[]> {
  const cache = await mkdtemp(path.join(tmpdir(), 'gatepost-bench-cache-'))
  try {
    const first = await measureOnce(cache, options)
    const looks: Look[] = []
    for (let round = 0; round < rounds; round += 1) looks.push(await measureOnce(cache, options))
    return figuresOf(first, looks)
  } finally {
    await rm(cache, { recursive: true, force: true })
  }
}

function figuresOf(first: Look, looks: readonly Look[]): readonly Figure[] {
  const of = (values: readonly number[], unit: number): Pick<Figure, 'value' | 'range'> => ({
    value: median(values) / unit,
    range: [Math.min(...values) / unit, Math.max(...values) / unit],
  })
  const resident = looks.map(({ residentBytes }) => residentBytes)
  const ratio = median(looks.map(({ residentBytes, emptyBytes }) => residentBytes / emptyBytes))
  const processor = looks.map(({ cpuShare }) => cpuShare)
  return [
    {
      name: 'resident memory',
      ...of(resident, 1e6),
      unit: 'MB',
      target: { atMost: TARGET_BYTES / 1e6 },
      ratios: { 'empty server': ratio },
    },
    { name: 'resident memory, first start', value: first.residentBytes / 1e6, unit: 'MB' },
    { name: 'processor', ...of(processor, 0.01), unit: '% of a core' },
  ]
}

interface Look {
  readonly residentBytes: number
  readonly emptyBytes: number
  /** 1 is all of a core. */
  readonly cpuShare: number
}

/** @param cache Folder of what earlier starts compiled. */
async function measureOnce(
  cache: string,
  { quietMs = QUIET_MS, nodeOptions = [] }: Omit<SixIdleOptions, 'rounds'>,
): Promise<Look> {
  await using cleanup = new AsyncDisposableStack()
  const emulators = await startEmulators()
  for (const emulator of emulators) cleanup.defer(() => emulator.close())
  const hosts = Object.fromEntries(emulators.flatMap(({ environment }) => Object.entries(environment)))
  const folder = await serviceFolderWith({ ...hosts, NODE_COMPILE_CACHE: cache })
  cleanup.defer(() => folder.remove())
  const [service, peer] = await Promise.all([folder.start(nodeOptions), startEmptyServer()])
  cleanup.defer(async () => void (await Promise.all([service.stop(), peer.stop()])))
  for (const emulator of emulators) await converse(service, emulator)
  const [before, beganAtMs] = [await usageOf(service.pid), now()]
  await pause(quietMs)
  const [after, tookMs] = [await usageOf(service.pid), now() - beganAtMs]
  const { residentBytes: emptyBytes } = await usageOf(peer.pid)
  return { residentBytes: after.residentBytes, emptyBytes, cpuShare: (after.cpuMs - before.cpuMs) / tookMs }
}

/** Saves the bot of the emulator, and has one chat with it. */
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
  throw new Error(`${platform} does not answer`)
}
