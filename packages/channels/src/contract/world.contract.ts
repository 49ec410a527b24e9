import type { ChannelRefusal } from '../errors.ts'
import type { Chat } from '../message.ts'
import type { Platform } from '../platform.ts'
import type { PlatformIo } from '../platform-io.ts'

/** A platform's emulator, as the shared suite drives it. Chats are those of the platform under test. */
export interface PlatformWorld<C> {
  readonly credentials: C
  /** Well-formed credentials that the platform does not know. */
  readonly strangers: C
  /** Texts that must never be seen in an error, an outcome or a log. */
  readonly secrets: readonly string[]
  /** Takes the place of `PlatformIo.host`. */
  readonly host: PlatformIo['host']
  /** A person writes to the bot directly. */
  say(text: string): Promise<Spoken>
  /**
   * A person writes in a group that the bot reads in full. `null` when the platform has no groups, or hands over nothing
   * there that does not concern the bot.
   */
  sayInGroup(text: string, how: GroupSpeech): Promise<Spoken | null>
  /**
   * A person sends a file directly; `announcedBytes` is what the platform says of its size. A platform that says none
   * shows a file of that many bytes.
   */
  sayFile(bytes: Uint8Array, announcedBytes?: number): Promise<Spoken>
  /** Another bot writes in that group. `null` when bots cannot. */
  sayAsOtherBot(text: string): Promise<Spoken | null>
  /** What people see of the bot in this chat, oldest first. */
  shown(chat: Chat): Promise<readonly Shown[]>
  /** The next send meets this refusal. @returns the chat to send to; `null` when the platform has no such answer. */
  refuse(code: ChannelRefusal): Promise<Chat | null>
  /**
   * The next send stays without an answer: after it was shown, before, or with a proxy's page instead of one.
   * @returns false: the platform has no such thing, e.g. no HTTP that a proxy could answer
   */
  lose(how: 'shown' | 'lost' | 'proxy_page'): Promise<boolean>
  /** The credentials stop being accepted. */
  revoke(): Promise<void>
  close(): Promise<void>
}

/** How a group message concerns the bot. `reply` answers the bot's last message there. */
export type GroupSpeech = 'mention' | 'reply' | 'nothing'

/** A message that a person sent. */
export interface Spoken {
  readonly chat: Chat
  readonly messageId: string
}

/** A message that people see. */
export interface Shown {
  /** `null`: the platform does not tell the bot. */
  readonly messageId: string | null
  readonly text: string
  /** Names of its files. */
  readonly files: readonly string[]
  /** The sign of an unfinished answer is still on it. */
  readonly unfinished?: boolean
}

/** A platform and how to start its emulator. */
export interface PlatformHarness<C> {
  readonly platform: Platform<C>
  /** Whether the platform hands an event over again that was not confirmed. */
  readonly redelivers: boolean
  /** `findSent` can prove at most that a message was not delivered. */
  readonly findsOnlyAbsence?: true
  start(): Promise<PlatformWorld<C>>
}
