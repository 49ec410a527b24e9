import { findSwitchId, type DemoEmulator, type EmulatedLine } from './demo-emulator.ts'
import type { DemoEvent, DemoLine, DemoSwitch } from './demo.ts'
import type { Clock } from '@gatepost/channels'

/** The view of one platform. */
export interface DemoView {
  readonly emulator: DemoEmulator
  readonly switches: readonly DemoSwitch[]
  /** Remembers the platform's id of a chat. */
  learn(said: Readonly<Record<string, unknown>>, result: unknown): void
  look(): Promise<Seen>
}

/** Returns the current view. Unchanged lines are the same objects. */
export interface Seen {
  readonly pane: Extract<DemoEvent, { readonly type: 'pane' }>
  readonly chats: readonly SeenChat[]
}
/** A chat as people see it. */
export interface SeenChat {
  readonly chat: string
  readonly typing: boolean
  readonly lines: readonly DemoLine[]
}

/** Number of messages shown per chat. */
const LINES = 60

/** A polling client counts as connected for this long after a poll, ms. */
const BETWEEN_POLLS_MS = 700

/** Creates the view. @param chats Ids as visitors use them. */
export function demoView(
  emulator: DemoEmulator,
  parts: { readonly switches: readonly DemoSwitch[]; readonly chats: readonly string[]; readonly clock: Clock },
): DemoView {
  const { switches, chats, clock } = parts
  let connectedAtMs = Number.NEGATIVE_INFINITY
  const ids = new Map<string, string>()
  const drawn = new Map<string, Drawn>()
  return {
    emulator,
    switches,
    learn(said, result) {
      const chat = readMember(said['group'], 'id') ?? readMember(said['from'], 'id')
      const id = readMember(result, 'chatId')
      if (chat !== null && id !== null) ids.set(chat, id)
    },
    async look() {
      const { control, platform } = emulator
      const [bot, faults, typing, ways] = await Promise.all([
        control.bot(),
        control.faults(),
        control.typing(),
        loadWays(emulator),
      ])
      if (bot.connected) connectedAtMs = clock.now()
      const pane: Seen['pane'] = {
        type: 'pane',
        platform,
        bot: bot.name,
        connected: clock.now() - connectedAtMs < BETWEEN_POLLS_MS,
        code: bot.setup ?? null,
        faults: faults.map(({ id, spec, left }) => ({ switch: findSwitchId(switches, spec), id, left })),
      }
      const seen = chats.map(async (chat): Promise<SeenChat> => {
        const now = await draw(emulator, chat, { ways, before: drawn.get(chat) })
        drawn.set(chat, now)
        const named = ids.get(chat) ?? chat
        return { chat, typing: typing.some(({ chatId }) => chatId === named), lines: now.lines }
      })
      return { pane, chats: await Promise.all(seen) }
    },
  }
}

/** The last view of a chat and its source. */
interface Drawn {
  readonly source: string
  readonly lines: readonly DemoLine[]
}

type Ways = ReadonlyMap<string, NonNullable<DemoLine['way']>>

async function draw(
  { control }: DemoEmulator,
  chat: string,
  { ways, before }: { readonly ways: Ways; readonly before: Drawn | undefined },
): Promise<Drawn> {
  const findWay = ({ by, messageId }: EmulatedLine): DemoLine['way'] =>
    by === 'bot' ? null : (ways.get(messageId) ?? 'sent')
  const plain = await control.conversation({ chatId: chat, limit: LINES })
  const source = JSON.stringify(plain.map((line) => [stable(line), findWay(line)]))
  if (before?.source === source) return before
  const known = new Map(before?.lines.map((line) => [line.id, line]))
  const detailed = await control.conversation({ chatId: chat, limit: LINES, details: true })
  const lines = detailed.map((line) => {
    const last = known.get(line.messageId)
    const now = toDemoLine(line, findWay(line), last)
    return last !== undefined && JSON.stringify(last) === JSON.stringify(now) ? last : now
  })
  return { source, lines }
}

/** Unfinished messages have no time yet. */
const stable = ({ atMs, ...line }: EmulatedLine): object => (line.unfinished ? line : { atMs, ...line })

const toDemoLine = (line: EmulatedLine, way: DemoLine['way'], last: DemoLine | undefined): DemoLine => ({
  id: line.messageId,
  by: line.by,
  name: line.name,
  at: line.unfinished ? (last?.at ?? line.atMs) : line.atMs,
  text: line.text,
  blocks: line.blocks ?? [],
  unfinished: line.unfinished,
  edited: line.edited,
  files: line.files,
  way,
})

/** Returns the delivery state of people's messages. */
async function loadWays({ control, info }: DemoEmulator): Promise<Ways> {
  const events = (await control.events()).filter(({ deliveries }) => deliveries > 0)
  const isConfirmed = (at: number | null): boolean => info.confirms !== false && at !== null
  return new Map(
    events.map(({ messageId, confirmedAtMs }) => [messageId, isConfirmed(confirmedAtMs) ? 'confirmed' : 'delivered']),
  )
}

function readMember(value: unknown, name: string): string | null {
  if (typeof value !== 'object' || value === null) return null
  const found: unknown = Reflect.get(value, name)
  return typeof found === 'string' ? found : null
}
