import { expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../platform-io.ts'
import { type Person, personAt } from '../../setup/testing.ts'
import { testIo } from '../wire/testing.ts'
import { type FeishuWorld, startFeishuWorld } from './feishu.contract.ts'
import { FEISHU_ACCOUNTS } from './credentials.ts'
import { feishu } from './platform.ts'

const QR = feishu.setups.find(({ kind }) => kind === 'qr')
const NOW_MS = 1_795_000_000_000
const REQUEST_MS = 15_000

interface Nap {
  readonly ms: number
  wake(): void
}

/** A clock on which only the waiting between polls comes to an end, when a test says so. */
function pollClock(): Clock & { next(): Promise<Nap> } {
  let nowMs = NOW_MS
  const naps: Nap[] = []
  let taker: ((nap: Nap) => void) | null = null
  const hand = (): void => {
    const nap = taker === null ? undefined : naps.shift()
    if (nap === undefined) return
    taker?.(nap)
    taker = null
  }
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve(), { once: true })
        if (ms === REQUEST_MS) return
        const wake = (): void => {
          nowMs += ms
          resolve()
        }
        naps.push({ ms, wake })
        hand()
      }),
    next: () =>
      new Promise((resolve) => {
        taker = resolve
        hand()
      }),
  }
}

interface Registration extends Person {
  readonly feishu: FeishuWorld
  readonly ended: Promise<unknown>
  /** Hosts that were asked. */
  readonly hosts: readonly string[]
  /** Ends the waiting before the next poll. @returns how long it was, seconds */
  wait(): Promise<number>
}

/** @param atHome Whether the hosts are those of production, for which the emulator answers. */
async function register(atHome = false): Promise<Registration> {
  const world = await startFeishuWorld()
  onTestFinished(() => world.close())
  const clock = pollClock()
  const hosts: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    hosts.push(url.origin)
    const response = await globalThis.fetch(`${world.url}${url.pathname}`, init)
    const body = await response.text()
    return new Response(atHome ? body.replaceAll(world.url, FEISHU_ACCOUNTS) : body, { status: response.status })
  }
  const host: FeishuWorld['host'] = atHome ? (_name, fallback) => fallback : world.host
  const person = personAt({ ...testIo({ fetch, host }), clock })
  const ended = person.follow(QR)
  let nap = await clock.next()
  const wait = async (): Promise<number> => {
    const { ms } = nap
    nap.wake()
    const following = await Promise.race([ended, clock.next()])
    if (typeof following === 'object' && following !== null && 'wake' in following) nap = following as Nap // it is
    return ms / 1_000
  }
  return { ...person, feishu: world, ended, hosts, wait }
}

it('leads from a code to saved credentials, and to the person who scanned', async () => {
  const { feishu: world, steps, saved, ended, wait } = await register()
  expect(steps).toMatchObject([{ state: 'waiting', scannable: true, expiresAtMs: NOW_MS + 3_600_000 }])
  const url = new URL(steps[0]?.url ?? '')
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ from: 'sdk', tp: 'sdk', source: 'gatepost' })
  expect(await wait()).toBe(5)
  await world.control.scan({ act: 'confirm', userId: 'ou_ann' })
  await wait()
  expect(await ended).toBeUndefined()
  expect(saved).toEqual([{ fields: world.credentials, firstUser: { id: 'ou_ann' } }])
})

it('asks less often when it is told to', async () => {
  const { feishu: world, wait } = await register()
  await world.control.injectFault({ kind: 'oauth_error', error: 'slow_down' })
  expect([await wait(), await wait(), await wait()]).toEqual([5, 10, 10])
})

it.each([
  ['refuse', 'refused'],
  ['expire', 'expired'],
] as const)('ends when the person or the platform says so: %s', async (act, code) => {
  const { feishu: world, wait, ended } = await register()
  await world.control.scan({ act })
  await wait()
  expect(await ended).toMatchObject({ name: 'SetupFailure', code })
})

it('ends with the code itself', async () => {
  const { wait, ended } = await register()
  for (let seconds = 0; seconds < 3_600; seconds += 5) await wait()
  expect(await ended).toMatchObject({ name: 'SetupFailure', code: 'expired' })
})

it('asks on when an answer does not come', async () => {
  const { feishu: world, saved, wait, ended } = await register()
  await world.control.injectFault({ kind: 'bad_gateway', method: 'registration.poll' })
  await wait()
  await world.control.scan({ act: 'confirm' })
  await wait()
  expect(await ended).toBeUndefined()
  expect(saved).toHaveLength(1)
})

it('goes on at Lark with an account of Lark', async () => {
  const { feishu: world, saved, hosts, wait, ended } = await register(true)
  await world.control.scan({ act: 'redirect' })
  await wait()
  await world.control.scan({ act: 'confirm' })
  await wait()
  expect(await ended).toBeUndefined()
  expect(saved).toMatchObject([{ fields: { domain: 'https://open.larksuite.com' }, firstUser: { id: 'ou_ann' } }])
  expect(hosts).toEqual([FEISHU_ACCOUNTS, FEISHU_ACCOUNTS, 'https://accounts.larksuite.com'])
})

it('gives up at once when no code can be had', async () => {
  const fetch = (): Promise<Response> => Promise.reject(new Error('no route'))
  const io = { ...testIo({ fetch, host: () => 'http://127.0.0.1:1' }), clock: pollClock() }
  expect(await personAt(io).follow(QR)).toMatchObject({ code: 'unreachable' })
})
