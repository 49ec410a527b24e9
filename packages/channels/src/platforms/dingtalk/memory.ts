import { putNewest, createPerBotState } from '../wire/bounded-map.ts'

/** What the last message revealed about a chat. Lost on a restart. */
export interface KnownChat {
  /** The platform's own id of the conversation; in a direct chat it is not the id of the chat. */
  readonly conversationId: string
  readonly robotCode: string
  /** The person does not belong to the organisation: only the webhook reaches them. */
  readonly external: boolean
  readonly webhook: { readonly url: URL; readonly untilMs: number } | null
}

/** In-memory state of one bot. It outlives a connection, so that disabling and enabling the channel loses nothing. */
export interface BotMemory {
  chat(id: string): KnownChat | undefined
  remember(id: string, chat: KnownChat): void
  /** Drops a webhook that the platform reported as gone. */
  forgetWebhook(id: string): void
  /** Records that the platform refuses a chat's webhooks until this time; newer ones of the chat are included. */
  blockWebhook(id: string, untilMs: number): void
  /** Returns when the block of a chat's webhooks ends; 0: they aren't blocked. */
  webhookBlockedUntilMs(id: string): number
  readonly health: Health
}

/** State for the doctor. Times are milliseconds since the Unix epoch. */
export interface Health {
  /** `null`: no connection was made in this process. */
  isOpen: boolean | null
  lastFrameAtMs: number | null
  lastMessageAtMs: number | null
  /** Sends that were refused because the app lacks a permission. */
  permissionFailures: { count: number; last: string; atMs: number } | null
  /** Why cards are no longer used, or `null`. */
  noCards: string | null
}

const MAX_CHATS = 10_000

/** The memory of one bot in one world: a test or another service has its own. */
export const getBotMemory = createPerBotState(createMemory)

function createMemory(): BotMemory {
  const chats = new Map<string, KnownChat>()
  const blocked = new Map<string, number>()
  return {
    chat: (id) => chats.get(id),
    remember(id, chat) {
      const webhook = longerLived(chat.webhook, chats.get(id)?.webhook ?? null)
      putNewest(chats, id, { ...chat, webhook }, MAX_CHATS)
    },
    forgetWebhook(id) {
      const chat = chats.get(id)
      if (chat !== undefined) chats.set(id, { ...chat, webhook: null })
    },
    blockWebhook: (id, untilMs) => putNewest(blocked, id, untilMs, MAX_CHATS),
    webhookBlockedUntilMs: (id) => blocked.get(id) ?? 0,
    health: { isOpen: null, lastFrameAtMs: null, lastMessageAtMs: null, permissionFailures: null, noCards: null },
  }
}

/** A redelivered message has an older webhook, and some messages have none. */
const longerLived = (one: KnownChat['webhook'], other: KnownChat['webhook']): KnownChat['webhook'] =>
  one === null || (other !== null && other.untilMs > one.untilMs) ? other : one

/** A new connection may have been made because the permissions of the app were changed. */
export function clearRefusals(health: Health): void {
  health.permissionFailures = null
  health.noCards = null
}
