import { isRecord } from './http.ts'
import type { ActiveFault, FaultBase } from './faults.ts'
import type { ShownBlock } from './shown-blocks.ts'

/**
 * Operations that a test, the demo or another program can perform on any emulated platform. They are also available as
 * `POST /control/<operation>` with the same arguments and results as JSON. Ids are strings, times milliseconds since the
 * Unix epoch. All reject with a `RangeError` for invalid arguments (over HTTP: status 400, `{ok: false, error}`).
 */
export interface PlatformControl<F extends FaultBase = FaultBase> {
  /** Returns the emulator's bot, with the body of `POST /api/channels/<platform>` that connects it. */
  bot(): Promise<EmulatedBot>
  /** Sends a message as a person or as another bot. */
  say(options: SayOptions): Promise<SayResult>
  /** Returns the bot's messages, oldest first, with edits and streams applied and without deleted ones. */
  sent(options?: SentQuery): Promise<readonly ShownMessage[]>
  /** Resolves once there are `count` (1) messages after `afterSequence` (0), or after `timeoutMs` (10,000) with fewer. */
  waitForSent(
    options?: SentQuery & { readonly count?: number; readonly timeoutMs?: number },
  ): Promise<readonly ShownMessage[]>
  /** Returns both sides of a chat, oldest first. `details` adds the optional fields of `ChatLine`. */
  conversation(options: {
    readonly chatId: string
    readonly limit?: number
    readonly details?: boolean
  }): Promise<readonly ChatLine[]>
  /** Returns received calls and frames, oldest first. `method` is the emulator's name of the call. */
  requests(options?: { readonly method?: string; readonly afterSequence?: number }): Promise<readonly RequestRecord[]>
  /** Returns the chats that show the bot's typing indicator now. */
  typing(): Promise<readonly TypingSign[]>
  /** Returns events for the bot with their deliveries and confirmation, oldest first. */
  events(): Promise<readonly EventRecord[]>
  /** Adds a fault and returns its id. */
  injectFault(fault: F): Promise<{ readonly id: number }>
  /** Returns the faults that aren't used up. */
  faults(): Promise<readonly ActiveFault<F>[]>
  /** Removes one fault, or all without `id`. */
  clearFaults(options?: { readonly id?: number }): Promise<void>
  /** Returns the faults that the page offers to people. */
  switches(): Promise<readonly FaultSwitch<F>[]>
  /** Closes all open connections of the bot, including long polls. */
  dropConnections(): Promise<void>
  /** Revokes the credentials and ends open connections the way the platform does. */
  revoke(): Promise<void>
  /** Performs what a person does with a phone during guided setup, on the newest code. */
  scan(act: ScanAct): Promise<void>
}

/** The bot of an emulator. */
export interface EmulatedBot {
  readonly id: string
  readonly name: string
  /** Whether the bot has an open connection. */
  readonly connected: boolean
  /** State of the pending setup code; absent: the platform has no setup codes. */
  readonly setup?: 'waiting' | 'scanned' | null
  /** Valid at this emulator only. */
  readonly credentials: Readonly<Record<string, string>>
}

/** A message for `say`. */
export interface SayOptions {
  readonly from: { readonly id: string; readonly name?: string; readonly isBot?: boolean }
  /** A group, created on first use. Absent: the direct chat with `from`. */
  readonly group?: { readonly id: string; readonly title?: string }
  readonly text?: string
  /** Whether to mention the bot, in a group. Default false. */
  readonly mention?: boolean
  /** Id of the message to reply to or quote. */
  readonly replyTo?: string
  readonly file?: SayFile
}

/** A file for `say`. */
export interface SayFile {
  readonly kind: 'image' | 'file' | 'voice' | 'video'
  readonly base64: string
  readonly name?: string
  readonly mimeType?: string
  /** Size that the platform reports, if it reports one. Default: the actual size. */
  readonly announcedBytes?: number
}

/** Result of `say`. */
export interface SayResult {
  /** As the bot sees it. */
  readonly chatId: string
  readonly messageId: string
}

/** Selects the bot's messages. */
export interface SentQuery {
  readonly chatId?: string
  readonly afterSequence?: number
  readonly limit?: number
}

/** A message of the bot in its current state. */
export interface ShownMessage {
  /** Position among the bot's messages, from 1. */
  readonly sequence: number
  readonly chatId: string
  readonly messageId: string
  readonly atMs: number
  /** In the platform's markup. */
  readonly text: string
  /** Number of edits. */
  readonly edits: number
  /** Whether it is a stream in progress. */
  readonly unfinished: boolean
  readonly replyTo: string | null
  readonly files: readonly ShownFile[]
}

/** A file of a message. */
export interface ShownFile {
  readonly name: string
  readonly size: number
  /** Content; empty for files above 64 KiB. */
  readonly base64: string
}

/** One message of a conversation. */
export interface ChatLine {
  readonly messageId: string
  readonly by: 'person' | 'bot'
  readonly name: string
  readonly atMs: number
  readonly text: string
  readonly unfinished: boolean
  readonly edited: boolean
  readonly files: readonly string[]
  /** With `details`: the rendered text. */
  readonly blocks?: readonly ShownBlock[]
  /** With `details`, if known: the message this one replies to, and its files. */
  readonly replyTo?: string | null
  readonly contents?: readonly ShownFile[]
}

/** A received call or frame. */
export interface RequestRecord {
  readonly sequence: number
  readonly atMs: number
  /** The emulator's name of the call or frame, e.g. `im.v1.messages.create` or `aibot_send_msg`. */
  readonly method: string
  /** HTTP method and path, or `socket`. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** At most 64 Ki characters. For a form with files: JSON with the fields, and the files' names and sizes. */
  readonly body: string
  /** HTTP status of the response; 0 before it is sent or when the connection was dropped; 200 for a frame. */
  readonly status: number
}

/** A typing indicator. */
export interface TypingSign {
  readonly chatId: string
  /** When it expires. */
  readonly untilMs: number
}

/** An event for the bot. */
export interface EventRecord {
  readonly messageId: string
  readonly deliveries: number
  /** When the bot confirmed it; `null`: not yet, or never on this platform. */
  readonly confirmedAtMs: number | null
}

/** A fault that the page offers. */
export interface FaultSwitch<F extends FaultBase = FaultBase> {
  readonly label: string
  readonly hint: string
  /** The same in Chinese. */
  readonly zh: { readonly label: string; readonly hint: string }
  /** Marks a fault that newcomers understand; the same code has the same effect on every platform. */
  readonly code?: SwitchCode
  readonly fault: F
  /** Stays on until it is turned off. */
  readonly lasting?: true
}

/** Effect of a switch, independent of the platform's terms. */
type SwitchCode =
  | 'cut'
  | 'bad_gateway'
  | 'slow_down'
  | 'send_lost'
  | 'answer_lost'
  | 'taken_over'
  | 'reconnect'
  | 'session_lost'
  | 'log_in_expired'
  | 'token_expired'
  | 'half_open'
  | 'twice'
  | 'no_streaming'

/** The first switch on every page. */
export const CUT_THE_NETWORK = {
  code: 'cut',
  label: 'Cut the network',
  hint: 'Nothing gets through until you turn this off.',
  zh: { label: '切断网络', hint: '在关闭此项之前，所有请求都无法送达。' },
  fault: { kind: 'drop_before', times: null },
  lasting: true,
} as const satisfies FaultSwitch

/** An action on a setup code. Rejected if the platform doesn't have it. */
export type ScanAct =
  /** Scan without confirming. */
  | { readonly act: 'scan' }
  /** Confirm as this person, scanning first if needed. */
  | { readonly act: 'confirm'; readonly userId?: string }
  | { readonly act: 'refuse' }
  | { readonly act: 'expire' }
  /** Require this number, shown on the phone, in the next poll. */
  | { readonly act: 'ask_code'; readonly code: string }
  /** Redirect the login to another host of the platform. */
  | { readonly act: 'redirect' }
  /** Report an earlier login at the first poll. */
  | { readonly act: 'stale' }
  | { readonly act: 'already_bound' }
  /** Add the bot to a group or guild. */
  | { readonly act: 'join'; readonly id: string; readonly title: string }

/** Names of the operations of `PlatformControl`. */
export const CONTROL_OPERATIONS: readonly (keyof PlatformControl)[] = [
  'bot',
  'say',
  'sent',
  'waitForSent',
  'conversation',
  'requests',
  'typing',
  'events',
  'injectFault',
  'faults',
  'clearFaults',
  'switches',
  'dropConnections',
  'revoke',
  'scan',
]

/**
 * Returns the control operations of an emulator in another process.
 * @param url Address of the emulator, without a trailing slash.
 * @param basePath Path of the operations; `/control/common` for the Telegram emulator.
 */
export const connectControl = <F extends FaultBase = FaultBase>(url: string, basePath?: string): PlatformControl<F> =>
  connectOperations<PlatformControl<F>>(url, CONTROL_OPERATIONS, basePath)

/** Returns an object with one function per operation. @param names Members of `T`. */
export function connectOperations<T>(url: string, names: readonly string[], basePath: string = '/control'): T {
  const call = async (operation: string, options: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${basePath}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(options ?? {}),
    })
    const answer: unknown = await response.json()
    if (isRecord(answer) && answer['ok'] === true) return answer['result'] ?? undefined
    throw new RangeError(isRecord(answer) ? String(answer['error']) : `The emulator returned status ${response.status}`)
  }
  const operations = names.map((name) => [name, (options?: unknown) => call(name, options)] as const)
  return Object.fromEntries(operations) as unknown as T // one function per operation; the server gives the types
}
