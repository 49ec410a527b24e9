import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '@gatepost/sql'
import type { ChannelPlatform } from '../bound-platform.ts'
import { type Contact, findRecipients } from '../contacts/contacts.sql.ts'
import { mainConversation } from '../conversations/chats.sql.ts'
import { recordSent } from '../conversations/turns.sql.ts'
import { ChannelError } from '../errors.ts'
import type { EventBus } from '../event-bus.ts'
import type { Clock } from '../platform-io.ts'
import type { PlatformId } from '../platform-names.ts'
import { deliveryRecord } from '../storage/records.ts'
import type { ChannelTables } from '../storage/schema.ts'
import type { BotWorkers } from '../supervisor/bot-workers.ts'
import type { DeliveryContent } from './content.ts'
import { type DeliveryRow, dismiss, findDeliveries, findDelivery, insertDeliveries, revive } from './deliveries.sql.ts'
import { planDeliveries } from './plan.ts'
import type { Renderer } from './renderer.ts'

/** Sends notifications: stores them like every delivery, then waits for the outcome. */
export interface Sender {
  /**
   * @throws {ChannelError} `message_empty`, `no_known_users`, `user_required`, `no_context`, `quota_used_up`,
   * `delivery_refused`, `delivery_unknown`, `delivery_pending`
   */
  send(request: SendRequest): Promise<{ deliveryId: string }>
  /** @throws {ChannelError} `unknown_delivery`, `delivery_not_dead`, and those of `send` */
  resend(bot: string, deliveryId: string, workers: BotWorkers | null): Promise<void>
  /** Dismisses a failed delivery. @throws {ChannelError} `unknown_delivery`, `delivery_not_dead` */
  dismiss(of: BotRef, deliveryId: string): Promise<void>
}

/** Identifies a bot and its account. */
export interface BotRef {
  readonly accountId: string
  readonly platform: PlatformId
  readonly bot: string
}

/** A notification to send. */
export interface SendRequest {
  readonly bot: string
  readonly platform: ChannelPlatform
  /** Markdown. */
  readonly message: string
  /** `null`: the only known user. */
  readonly userId: string | null
  /** `null`: another process holds the bot and finds the delivery in the database. */
  readonly workers: BotWorkers | null
}

/** Options of `createSender`. */
export interface SenderOptions {
  readonly database: Database<ChannelTables>
  readonly bus: EventBus
  readonly clock: Clock
  readonly renderer: Renderer
  readonly confirmMs: number
}

/** Another process reports outcomes only through the database. */
const POLL_MS = 500

/** Creates the sender of this process. */
export const createSender = (options: SenderOptions): Sender => new ConfirmingSender(options)

class ConfirmingSender implements Sender {
  readonly #options: SenderOptions

  constructor(options: SenderOptions) {
    this.#options = options
  }

  async send(request: SendRequest): Promise<{ deliveryId: string }> {
    const { bot, userId, message, platform, workers } = request
    const to = chooseRecipient(await findRecipients(this.#options.database, bot, userId), userId)
    const contents = await this.#options.renderer.render(message, platform, bot)
    if (contents.length === 0) throw new ChannelError('message_empty', { details: { field: 'message' } })
    checkAllowance(workers, to.chatId, contents.length)
    const rows = await this.#store(request, to, contents)
    const ids = rows.map((row) => row.id)
    workers?.deliver(rows)
    await this.#confirm(bot, ids)
    return { deliveryId: ids[0] ?? '' }
  }

  async resend(bot: string, deliveryId: string, workers: BotWorkers | null): Promise<void> {
    const { database, clock } = this.#options
    const row = await findDelivery(database, bot, deliveryId)
    if (!row) throw new ChannelError('unknown_delivery')
    if (!(await revive(database, bot, deliveryId, clock.now()))) throw new ChannelError('delivery_not_dead')
    workers?.outbox.wake(row.chat_id)
    await this.#confirm(bot, [deliveryId])
  }

  async dismiss({ accountId, platform, bot }: BotRef, deliveryId: string): Promise<void> {
    const { database, bus, clock } = this.#options
    const row = await dismiss(database, bot, deliveryId)
    if (row) {
      bus.emit(accountId, () => ({ platform, at: clock.now(), type: 'delivery', delivery: deliveryRecord(row) }))
      return
    }
    const isKnown = (await findDelivery(database, bot, deliveryId)) !== undefined
    throw new ChannelError(isKnown ? 'delivery_not_dead' : 'unknown_delivery')
  }

  async #store(
    { bot, message }: SendRequest,
    { chatId, userId }: Recipient,
    contents: readonly DeliveryContent[],
  ): Promise<readonly DeliveryRow[]> {
    const { database, clock } = this.#options
    const nowMs = clock.now()
    const conversation = await mainConversation(database, bot, chatId)
    const id = randomUUIDv7()
    const plan = {
      id,
      bot,
      kind: 'send',
      conversationId: conversation?.id ?? null,
      turnId: null,
      chat: { id: chatId, kind: conversation?.kind ?? 'direct' },
      userId,
      replyTo: null,
      after: conversation?.last_message_id ?? null,
      receivedAtMs: null,
    } as const
    const rows = planDeliveries(plan, contents, nowMs)
    await database.transaction(
      async (tx) => {
        await insertDeliveries(tx, rows)
        if (conversation) await recordSent(tx, id, conversation, message, nowMs)
      },
      { durable: true },
    )
    return rows
  }

  /** Waits until every part has an outcome. */
  async #confirm(bot: string, ids: readonly string[]): Promise<void> {
    const { database, bus, clock, confirmMs } = this.#options
    const done = new AbortController()
    let wake = (): void => {}
    for (const id of ids) bus.onDelivery(id, () => wake(), done.signal)
    const untilMs = clock.now() + confirmMs
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => (wake = resolve))
        const found = await findDeliveries(database, bot, ids)
        const rows = ids.map((id) => found.find((row) => row.id === id))
        const failed = rows.find((row) => row?.state === 'refused' || row?.state === 'unknown')
        if (failed) throw toDeliveryError(failed)
        if (rows.every((row) => row?.state === 'delivered')) return
        const leftMs = untilMs - clock.now()
        const held = rows.some((row) => row?.code === 'credentials_rejected')
        if (leftMs <= 0 || held) throw toPendingError(rows)
        const pollWait = new AbortController()
        await Promise.race([changed, clock.sleep(Math.min(POLL_MS, leftMs), pollWait.signal)])
        pollWait.abort()
      }
    } finally {
      done.abort()
    }
  }
}

interface Recipient {
  readonly userId: string
  readonly chatId: string
}

/** @throws {ChannelError} `no_known_users`, `user_required` */
function chooseRecipient(contacts: readonly Contact[], userId: string | null): Recipient {
  if (userId !== null) {
    const contact = contacts.find((known) => known.userId === userId)
    // an unknown user id may still be a chat that the bot can write to
    return { userId, chatId: contact?.directChatId ?? userId }
  }
  const direct = contacts.flatMap(({ userId: id, directChatId }) =>
    directChatId === null ? [] : [{ userId: id, chatId: directChatId }],
  )
  const [only, another] = direct
  if (!only) throw new ChannelError('no_known_users')
  if (another) throw new ChannelError('user_required', { details: { field: 'user_id' } })
  return only
}

/** Rejects a message that cannot be sent now. When another process holds the bot, the delivery reports it instead. */
function checkAllowance(workers: BotWorkers | null, chatId: string, needed: number): void {
  const allowance = workers?.allowance({ id: chatId, kind: 'direct' })
  if (!allowance) return
  const { left, refused } = allowance
  if (refused) throw toUnsendableError(refused.code, refused.detail, refused.retryAfterMs)
  if (left !== null && left < needed) {
    const words = `The message takes ${needed} sends, but only ${left} are left until the recipient writes again.`
    throw new ChannelError('quota_used_up', { message: words })
  }
}

/** An error for a send that has to wait for the user's next message, or for time to pass. */
function toUnsendableError(code: string, detail: string, retryAfterMs: number | undefined): ChannelError {
  const details = retryAfterMs === undefined ? {} : { details: { retry_after: Math.ceil(retryAfterMs / 1_000) } }
  const message = `${detail.replace(/\.$/, '')}.`
  return new ChannelError(code === 'no_context' ? 'no_context' : 'quota_used_up', { message, ...details })
}

function toDeliveryError(row: DeliveryRow): ChannelError {
  if (row.code === 'no_context' || row.code === 'quota_used_up')
    return toUnsendableError(row.code, row.reason ?? '', undefined)
  const code = row.state === 'refused' ? 'delivery_refused' : 'delivery_unknown'
  const message = row.reason === null ? {} : { message: `${row.reason.replace(/\.$/, '')}.` }
  return new ChannelError(code, { ...message, details: { delivery: row.id, reason: row.code ?? row.state } })
}

function toPendingError(rows: readonly (DeliveryRow | undefined)[]): ChannelError {
  const waiting = rows.find((row) => row?.state !== 'delivered')
  const why = waiting?.reason
  return new ChannelError('delivery_pending', {
    details: { delivery: waiting?.id ?? '' },
    ...(why
      ? { message: `The message is queued and will be sent as soon as possible: ${why.replace(/\.$/, '')}.` }
      : {}),
  })
}
