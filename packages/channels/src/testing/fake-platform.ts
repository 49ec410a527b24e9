import type { ChannelPlatform } from '../bound-platform.ts'
import type { ChannelRefusal } from '../errors.ts'
import { plainDialect } from '../markdown/dialect.ts'
import type { PlatformLimits } from '../platform.ts'
import type { Clock } from '../platform-io.ts'
import type { Chat, FetchedMedia, MediaRef, OutboundPart, Outcome } from '../message.ts'
import type { Connection, FoundSent } from '../connection.ts'

/**
 * What becomes of one call: an outcome as it is; `ok`: shown and told so; `lost`: shown, but the answer never comes;
 * `dropped`: neither shown nor answered; `hangs`: nothing until the caller gives up; `shown, then hangs`; an error: thrown.
 */
export type Scripted = Outcome | 'ok' | 'lost' | 'dropped' | 'hangs' | 'shown, then hangs' | Error

/** A message as people see it in a chat. */
export interface ShownMessage {
  readonly chatId: string
  readonly messageId: string
  readonly deliveryId: string
  /** Text, or `<name>` of a file. */
  body: string
  readonly replyTo: string | null
  readonly atMs: number
  edits: number
}

/** Kind of a call to the fake platform. */
export type CallKind = 'send' | 'edit' | 'draft' | 'typing' | 'fetch' | 'find'
/** A call that the fake platform received. */
export interface Call {
  readonly kind: CallKind
  readonly chatId: string
  readonly deliveryId: string | null
  readonly body: string | null
  readonly plain: boolean
  readonly atMs: number
}

/** Capabilities of the fake platform. */
export interface FakePlatformOptions {
  readonly edit?: boolean
  /** False: an edit that had no answer cannot be repeated. */
  readonly editAgain?: boolean
  readonly draft?: boolean
  readonly typing?: boolean
  /** What taking the typing indicator away takes. */
  readonly typingDone?: Promise<void>
  readonly resend?: boolean
  readonly findSent?: boolean
  readonly fetchMedia?: (media: MediaRef) => Promise<FetchedMedia>
  readonly allowance?: NonNullable<Connection['can']['allowance']>
  readonly restoreContexts?: NonNullable<Connection['can']['restoreContexts']>
  readonly limits?: Partial<PlatformLimits>
}

/** A platform in memory: outlives the processes that connect to it. */
export interface FakePlatform {
  readonly platform: ChannelPlatform
  /** What stands in the chats, in the order of appearance. */
  readonly shown: readonly ShownMessage[]
  readonly calls: readonly Call[]
  /** Outcomes of the coming sends and edits, one each; afterwards, `ok`. */
  script(...outcomes: Scripted[]): void
  /** Forgets the script. */
  clear(): void
  /** Instead of the script: decides at every send and edit. `null`: `ok`. */
  decide: ((part: OutboundPart, kind: 'send' | 'edit') => Scripted) | null
  /** Answers of the coming `findSent.find`; afterwards, the truth. */
  readonly findings: FoundSent[]
  connect(): Connection
  bodies(chatId: string): readonly string[]
  listCalls(kind: CallKind): readonly Call[]
}

/** Returns a refusal. */
export const refused = (code: ChannelRefusal, more: { retryAfterMs?: number; toChatId?: string } = {}): Outcome => ({
  status: 'refused',
  code,
  detail: `scripted: ${code}`,
  ...more,
})

const WIDE = { count: 1_000, perMs: 1_000, burst: 1_000 }
/** `settleMs` of the fake platform. */
export const FAKE_SETTLE_MS = 3_000
const LIMITS: PlatformLimits = {
  text: { max: 100, unit: 'utf16' },
  fileBytes: { inbound: 1_000, image: 1_000, file: 1_000 },
  pace: { channel: WIDE, direct: WIDE, group: WIDE },
  previewEveryMs: { draft: 500, edit: 3_000 },
  typingEveryMs: 4_000,
  replayMs: 60_000,
}

const nobody = (): never => {
  throw new Error('the fake platform has no credentials')
}

/** Creates a platform in memory that records calls. */
export function fakePlatform(clock: Clock, options: FakePlatformOptions = {}): FakePlatform {
  const shown: ShownMessage[] = []
  const calls: Call[] = []
  const scripted: Scripted[] = []
  const findings: FoundSent[] = []

  const note = (kind: CallKind, chat: Chat, part: OutboundPart | null): void => {
    calls.push({
      kind,
      chatId: chat.id,
      deliveryId: part?.deliveryId ?? null,
      body: part ? getBody(part) : null,
      plain: part?.kind === 'text' && part.plain,
      atMs: clock.now(),
    })
  }

  function show(part: OutboundPart): string {
    const already = options.resend ? shown.find((one) => one.deliveryId === part.deliveryId) : undefined
    if (already) return already.messageId
    const messageId = String(1_000 + shown.length)
    const replyTo = part.replyTo ?? null
    const { deliveryId } = part
    shown.push({
      chatId: part.chat.id,
      messageId,
      deliveryId,
      body: getBody(part),
      replyTo,
      atMs: clock.now(),
      edits: 0,
    })
    return messageId
  }

  function replace(part: OutboundPart, messageId: string): string {
    const message = shown.find((one) => one.messageId === messageId)
    if (!message) throw new Error(`no message ${messageId} to edit`)
    message.body = getBody(part)
    message.edits += 1
    return messageId
  }

  async function perform(
    part: OutboundPart,
    kind: 'send' | 'edit',
    effect: () => string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    note(kind, part.chat, part)
    const what = scripted.shift() ?? fake.decide?.(part, kind) ?? 'ok'
    if (what instanceof Error) throw what
    if (typeof what === 'object') return what
    if (what === 'ok') return { status: 'delivered', messageId: effect() }
    if (what === 'lost' || what === 'shown, then hangs') effect()
    if (what === 'hangs' || what === 'shown, then hangs') await aborted(signal)
    return { status: 'unknown', detail: 'scripted: no answer' }
  }

  const fake: FakePlatform = {
    platform: {
      id: 'telegram',
      label: 'Fake',
      limits: { ...LIMITS, ...options.limits },
      dialect: plainDialect,
      secrets: [],
      bound: [],
      fields: [],
      setups: [],
      read: nobody,
      describe: () => ({}),
    },
    shown,
    calls,
    findings,
    decide: null,
    script: (...outcomes) => void scripted.push(...outcomes),
    clear: () => void scripted.splice(0),
    bodies: (chatId) => shown.filter((one) => one.chatId === chatId).map(({ body }) => body),
    listCalls: (kind) => calls.filter((call) => call.kind === kind),
    connect: () => ({
      run: (_inbox, signal) => aborted(signal),
      send: (part, signal) => perform(part, 'send', () => show(part), signal),
      can: {
        ...(options.edit && {
          edit: (part, messageId, signal) => perform(part, 'edit', () => replace(part, messageId), signal),
        }),
        ...(options.editAgain !== undefined && { editAgain: () => options.editAgain === true }),
        ...(options.draft && {
          draft: async (part) => {
            note('draft', part.chat, part)
            return scripted.length > 0 && typeof scripted[0] === 'object' && !(scripted[0] instanceof Error)
              ? (scripted.shift() as Outcome) // looked at in the line above
              : { status: 'delivered', messageId: 'draft' }
          },
          draftFor: (chat: Chat) => chat.kind === 'direct',
        }),
        ...(options.typing && { typing: async (chat) => note('typing', chat, null) }),
        ...(options.typingDone && { typingDone: () => options.typingDone ?? Promise.resolve() }),
        ...(options.resend && { resend: () => true }),
        ...(options.findSent && { findSent: finder(shown, findings, (part) => note('find', part.chat, part)) }),
        ...(options.allowance && { allowance: options.allowance }),
        ...(options.restoreContexts && { restoreContexts: options.restoreContexts }),
        ...(options.fetchMedia && { fetchMedia: options.fetchMedia }),
      },
    }),
  }
  return fake
}

function finder(
  shown: readonly ShownMessage[],
  findings: FoundSent[],
  onFind: (part: OutboundPart) => void,
): NonNullable<Connection['can']['findSent']> {
  return {
    settleMs: FAKE_SETTLE_MS,
    mark: () => String(shown.length),
    async find(part, mark) {
      onFind(part)
      const scripted = findings.shift()
      if (scripted) return scripted
      const found = shown.slice(Number(mark)).find((one) => one.deliveryId === part.deliveryId)
      return found ? { found: 'delivered', messageId: found.messageId } : { found: 'absent' }
    },
  }
}

const getBody = (part: OutboundPart): string => (part.kind === 'text' ? part.body : `<${part.name}>`)

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
