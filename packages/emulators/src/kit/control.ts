import { isRecord } from './http.ts'
import type { ActiveFault, FaultBase } from './faults.ts'
import type { ShownBlock } from './shown-blocks.ts'

/**
 * What a test, the demo or another program can do to any emulated platform. The same operations answer
 * `POST /control/<operation>` with these arguments and results as JSON. Ids are text, times milliseconds since the
 * Unix epoch. All reject with a `RangeError` for arguments that cannot be (over HTTP: status 400, `{ok: false, error}`).
 */
export interface PlatformControl<F extends FaultBase = FaultBase> {
  /** The bot that the emulator begins with, and the body of `POST /api/channels/<platform>` that connects it. */
  bot(): Promise<EmulatedBot>
  /** A person (or another bot) writes. */
  say(options: SayOptions): Promise<Said>
  /** What the bot shows to people, oldest first, edits and streams applied; deleted messages are left out. */
  sent(options?: SentQuery): Promise<readonly ShownMessage[]>
  /** Resolves when `count` (1) messages beyond `afterSequence` (0) are there, or after `timeoutMs` (10 000) with what is there. */
  waitForSent(
    options?: SentQuery & { readonly count?: number; readonly timeoutMs?: number },
  ): Promise<readonly ShownMessage[]>
  /** A chat as people see it, both sides, oldest first. With `details` each line also brings what is said of it there. */
  conversation(options: {
    readonly chatId: string
    readonly limit?: number
    readonly details?: boolean
  }): Promise<readonly ChatLine[]>
  /** Calls and frames as they came over the wire, oldest first. `method` is the emulator's name of the call. */
  requests(options?: { readonly method?: string; readonly afterSequence?: number }): Promise<readonly RequestRecord[]>
  /** Chats in which the bot shows that it is writing, now. */
  typing(): Promise<readonly TypingSign[]>
  /** Events handed to the bot, and how often each was delivered and whether it was confirmed, oldest first. */
  events(): Promise<readonly EventRecord[]>
  injectFault(fault: F): Promise<{ readonly id: number }>
  faults(): Promise<readonly ActiveFault<F>[]>
  /** Without `id`: all of them. */
  clearFaults(options?: { readonly id?: number }): Promise<void>
  /** Faults that a person may want to try, for the demo page. */
  switches(): Promise<readonly FaultSwitch<F>[]>
  /** Closes every connection of the bot that is open now, held polls included. */
  dropConnections(): Promise<void>
  /** The credentials stop being accepted; open connections are ended as the platform ends them. */
  revoke(): Promise<void>
  /** What the person with the phone does in a guided set-up: the newest code that was asked for. */
  scan(act: ScanAct): Promise<void>
}

export interface EmulatedBot {
  readonly id: string
  readonly name: string
  /** Whether the bot is connected now. */
  readonly connected: boolean
  /** Whether a code of a guided set-up waits for the person with the phone; absent: the platform has no codes. */
  readonly setup?: 'waiting' | 'scanned' | null
  /** Made up. */
  readonly credentials: Readonly<Record<string, string>>
}

export interface SayOptions {
  readonly from: { readonly id: string; readonly name?: string; readonly isBot?: boolean }
  /** A group; absent: the direct chat with `from`. It comes into being when it is first named. */
  readonly group?: { readonly id: string; readonly title?: string }
  readonly text?: string
  /** In a group: whether the bot is mentioned. Default false. */
  readonly mention?: boolean
  /** The message that is answered or quoted. */
  readonly replyTo?: string
  readonly file?: SaidFile
}

export interface SaidFile {
  readonly kind: 'image' | 'file' | 'voice' | 'video'
  readonly base64: string
  readonly name?: string
  readonly mimeType?: string
  /** What the platform says of its size where it says one; default: the truth. */
  readonly announcedBytes?: number
}

export interface Said {
  /** As the bot sees them. */
  readonly chatId: string
  readonly messageId: string
}

export interface SentQuery {
  readonly chatId?: string
  readonly afterSequence?: number
  readonly limit?: number
}

/** A message of the bot as people see it now. */
export interface ShownMessage {
  /** Among the messages of the bot, from 1. */
  readonly sequence: number
  readonly chatId: string
  readonly messageId: string
  readonly atMs: number
  /** As it was sent, in the platform's own markup. */
  readonly text: string
  /** How often the text was replaced. */
  readonly edits: number
  /** A stream that has not been finished. */
  readonly unfinished: boolean
  readonly replyTo: string | null
  readonly files: readonly ShownFile[]
}

export interface ShownFile {
  readonly name: string
  readonly size: number
  /** Of at most 64 KiB, else ''. */
  readonly base64: string
}

export interface ChatLine {
  readonly messageId: string
  readonly by: 'person' | 'bot'
  readonly name: string
  readonly atMs: number
  readonly text: string
  readonly unfinished: boolean
  readonly edited: boolean
  readonly files: readonly string[]
  /** With `details`: what people see of the text. */
  readonly blocks?: readonly ShownBlock[]
  /** With `details`, where the emulator knows them: the message that this one answers, and what is in its files. */
  readonly replyTo?: string | null
  readonly contents?: readonly ShownFile[]
}

export interface RequestRecord {
  readonly sequence: number
  readonly atMs: number
  /** The emulator's name of the call or frame, e.g. `im.v1.messages.create` or `aibot_send_msg`. */
  readonly method: string
  /** HTTP method and path, or the name of the socket. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** At most 64 Ki characters; of a form with files the fields, and names and sizes of the files, as JSON. */
  readonly body: string
  /** HTTP status of the answer, 0 while there is none and for ever when the connection was dropped; 200 for a frame. */
  readonly status: number
}

export interface TypingSign {
  readonly chatId: string
  /** When it vanishes by itself. */
  readonly untilMs: number
}

export interface EventRecord {
  readonly messageId: string
  readonly deliveries: number
  /** When the bot confirmed it; `null`: not yet, or the platform knows no confirmation. */
  readonly confirmedAtMs: number | null
}

export interface FaultSwitch<F extends FaultBase = FaultBase> {
  readonly label: string
  readonly hint: string
  /** Of one that a newcomer understands: the same wherever the same happens. */
  readonly code?: SwitchCode
  readonly fault: F
  /** Stays on until it is switched off. */
  readonly lasting?: true
}

/** What happens when a switch is pressed, whatever the platform calls it. */
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

/** The switch that every page has, and has first. */
export const CUT_THE_NETWORK = {
  code: 'cut',
  label: 'Cut the network',
  hint: 'Nothing gets through until it is switched off.',
  fault: { kind: 'drop_before', times: null },
  lasting: true,
} as const satisfies FaultSwitch

/** Those that a platform does not have are refused. */
export type ScanAct =
  /** Scanned, not confirmed yet. */
  | { readonly act: 'scan' }
  /** Confirmed (scanned before, if need be) by this person. */
  | { readonly act: 'confirm'; readonly userId?: string }
  | { readonly act: 'refuse' }
  | { readonly act: 'expire' }
  /** The next poll must bring this number, which the phone shows. */
  | { readonly act: 'ask_code'; readonly code: string }
  /** The account is asked for at another host of the platform. */
  | { readonly act: 'redirect' }
  /** An earlier log-in is reported at the first poll. */
  | { readonly act: 'stale' }
  | { readonly act: 'already_bound' }
  /** The bot is put into a group or guild. */
  | { readonly act: 'join'; readonly id: string; readonly title: string }

/** Names of all operations. */
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
 * The control interface of an emulator in another process.
 * @param url As the emulator gave it, without a trailing slash.
 * @param below Path of the operations; that of the Telegram emulator is `/control/common`.
 */
export const connectControl = <F extends FaultBase = FaultBase>(url: string, below?: string): PlatformControl<F> =>
  connectOperations<PlatformControl<F>>(url, CONTROL_OPERATIONS, below)

/** @param names The members of `T`, each an operation of the emulator's. */
export function connectOperations<T>(url: string, names: readonly string[], below: string = '/control'): T {
  const call = async (operation: string, options: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${below}/${operation}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(options ?? {}),
    })
    const answer: unknown = await response.json()
    if (isRecord(answer) && answer['ok'] === true) return answer['result'] ?? undefined
    throw new RangeError(isRecord(answer) ? String(answer['error']) : `The emulator answered ${response.status}`)
  }
  const operations = names.map((name) => [name, (options?: unknown) => call(name, options)] as const)
  return Object.fromEntries(operations) as unknown as T // one function per operation; the server gives the types
}
