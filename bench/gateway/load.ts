import { DEFAULT_BOT, startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import { systemClock } from '@gatepost/gateway'
import { now, pause, readProcessUsage, type ProcessUsage } from '../machine.ts'
import type { Latencies, LoadCommand, LoadReply, Saturation } from './load-process.ts'

/** A run fails after this time without a reply, ms. */
const STUCK_MS = 30_000
/** Between two messages of `oneByOne`, so that follow-up work can finish, ms. */
const QUIET_MS = 5
/** Between two reports of a long run, ms. */
const PROGRESS_MS = 250

const emulator = await startTelegramEmulator({
  history: 20_000,
  // fractions of a millisecond, for the latencies
  clock: { now, sleep: systemClock.sleep },
})
const { control } = emulator
process.on('message', ({ id, command }: { id: number; command: LoadCommand }) => {
  run(control, command).then(
    (result) => reply({ id, result }),
    (error: unknown) => reply({ id, error: String(error) }),
  )
})
process.once('disconnect', () => process.exit(0))
reply({ id: 0, result: { url: emulator.url, token: DEFAULT_BOT.token } })

function reply(message: LoadReply): void {
  process.send?.(message)
}

async function run(world: TelegramControl, command: LoadCommand): Promise<unknown> {
  switch (command.type) {
    case 'firstPoll':
      return firstPoll(world, command.afterMs)
    case 'oneByOne':
      return oneByOne(world, command.messages)
    case 'atRate':
      return atRate(world, command)
    case 'saturate':
      return saturate(world, command)
  }
}

/** Returns the time of the first successful poll after `afterMs`. */
async function firstPoll(world: TelegramControl, afterMs: number): Promise<number> {
  for (const givenUpAtMs = now() + STUCK_MS; now() < givenUpAtMs; await pause(2)) {
    const polls = await world.requests({ method: 'getUpdates' })
    const answered = polls.find(({ atMs, status }) => atMs > afterMs && status === 200)
    if (answered) return answered.atMs
  }
  throw new Error('the bot never polled')
}

/** Messages of users who each wait for a reply, which is the next message they receive. */
class Talk {
  readonly #world: TelegramControl
  readonly #waiting = new Map<number, { readonly updateId: number | null; readonly saidAtMs: number }>()
  readonly #answered: { readonly updateId: number | null; readonly saidAtMs: number; readonly answeredAtMs: number }[] =
    []
  readonly #keep: boolean
  #sequence = 0
  said = 0
  answers = 0

  private constructor(world: TelegramControl, keep: boolean) {
    this.#world = world
    this.#keep = keep
  }

  /** Starts a talk. @param keep Whether to record each message, for `latencies`. */
  static async begin(world: TelegramControl, keep: boolean): Promise<Talk> {
    const talk = new Talk(world, keep)
    talk.#sequence = (await world.sent()).at(-1)?.sequence ?? 0
    return talk
  }

  get waiting(): number {
    return this.#waiting.size
  }

  isWaiting(user: number): boolean {
    return this.#waiting.has(user)
  }

  async say(user: number): Promise<void> {
    this.said += 1
    const saidAtMs = now()
    const text = `Message ${this.said}: will it rain tomorrow, and should I take the *train* or the bicycle?`
    const said = this.#world.say({ from: { id: user, first_name: `Person ${user}` }, text })
    this.#waiting.set(user, { updateId: null, saidAtMs })
    const { updateId } = await said
    if (this.#waiting.has(user)) this.#waiting.set(user, { updateId, saidAtMs })
  }

  /** Waits for replies. @returns the users with a reply since the last call, at least one */
  async heard(): Promise<readonly number[]> {
    const sent = await this.#world.waitForSent({ afterSequence: this.#sequence, timeoutMs: STUCK_MS })
    if (sent.length === 0) throw new Error(`no reply within ${STUCK_MS} ms; ${this.#waiting.size} users are waiting`)
    const users: number[] = []
    for (const { sequence, chatId, atMs } of sent) {
      this.#sequence = sequence
      const waiting = this.#waiting.get(chatId)
      if (!waiting) continue
      this.#waiting.delete(chatId)
      this.answers += 1
      if (this.#keep) this.#answered.push({ ...waiting, answeredAtMs: atMs })
      users.push(chatId)
    }
    return users
  }

  async latencies(): Promise<Latencies> {
    const { pending, confirmed } = await this.#world.updates()
    const delivered = new Map(
      [...pending, ...confirmed].map(({ update, firstDeliveredAtMs }) => [update.update_id, firstDeliveredAtMs]),
    )
    return {
      fromSaidMs: this.#answered.map(({ saidAtMs, answeredAtMs }) => answeredAtMs - saidAtMs),
      fromHandedMs: this.#answered.map(({ updateId, answeredAtMs }) => {
        const deliveredAtMs = delivered.get(updateId ?? 0)
        if (deliveredAtMs === undefined || deliveredAtMs === null)
          throw new Error('an update was answered but never delivered')
        return answeredAtMs - deliveredAtMs
      }),
    }
  }
}

async function oneByOne(world: TelegramControl, messages: number): Promise<Latencies> {
  const talk = await Talk.begin(world, true)
  while (talk.answers < messages) {
    await pause(QUIET_MS)
    const [bot] = await world.bots()
    if (!bot?.polling) continue
    await talk.say(1_000 + (talk.said % 100))
    await talk.heard()
  }
  return talk.latencies()
}

async function atRate(
  world: TelegramControl,
  { perSecond, messages, users }: { readonly perSecond: number; readonly messages: number; readonly users: number },
): Promise<Latencies> {
  const talk = await Talk.begin(world, true)
  const beganAtMs = now()
  const speak = async (): Promise<void> => {
    while (talk.said < messages) {
      const due = Math.min(messages, Math.floor(((now() - beganAtMs) / 1000) * perSecond))
      while (talk.said < due) {
        const user = 1_000 + (talk.said % users)
        if (talk.isWaiting(user)) break
        await talk.say(user)
      }
      await pause(1)
    }
  }
  const listen = async (): Promise<void> => {
    while (talk.answers < messages) await talk.heard()
  }
  await Promise.all([speak(), listen()])
  return talk.latencies()
}

async function saturate(
  world: TelegramControl,
  { users, warmUpMs, forMs, messages, pid }: Extract<LoadCommand, { type: 'saturate' }>,
): Promise<Saturation> {
  const talk = await Talk.begin(world, false)
  const beganAtMs = now()
  const windowOf = async (): Promise<Window> => ({
    atMs: now(),
    answers: talk.answers,
    ownCpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1000,
    ...(await readProcessUsage(pid)),
  })
  let first = await windowOf()
  let last = first
  let reportedAtMs = 0
  for (let user = 0; user < users && talk.said < messages; user += 1) await talk.say(1_000 + user)
  while (talk.waiting > 0) {
    const free = await talk.heard()
    const isWarm = now() - beganAtMs > warmUpMs && talk.answers > users
    if (!isWarm) first = last = await windowOf()
    else if (now() - first.atMs <= forMs) last = await windowOf()
    else continue
    for (const user of free) if (talk.said < messages) await talk.say(user)
    if (now() - reportedAtMs < PROGRESS_MS) continue
    reportedAtMs = now()
    process.send?.({ answers: talk.answers, residentBytes: last.residentBytes })
  }
  const [answers, tookMs] = [last.answers - first.answers, last.atMs - first.atMs]
  return {
    answers: talk.answers,
    perSecond: (answers / tookMs) * 1000,
    cpuMs: (last.cpuMs - first.cpuMs) / answers,
    loadShare: (last.ownCpuMs - first.ownCpuMs) / tookMs,
  }
}

interface Window extends ProcessUsage {
  readonly atMs: number
  readonly answers: number
  readonly ownCpuMs: number
}
