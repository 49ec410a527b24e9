import { randomBytes } from 'node:crypto'
import type { TestDatabase, testDatabases } from '@gatepost/sql/testing'
import { createSealer } from '../crypto/crypto.ts'
import type { LogFields } from '../io.ts'
import type { AuthTables } from '../schema/tables.ts'
import { type ManualClock, manualClock } from '../../testing/clock.ts'
import { preparedAccounts } from '../../testing/prepared-accounts.ts'
import type { MailMessage, MailQueue, MailTransport } from './mail.ts'
import { createMailQueue, type MailQueueParts } from './mail-queue.sql.ts'

/** Returns a mail that contains a link. */
export const mailTo = (to: string, subject = 'Reset'): MailMessage => ({
  from: 'Example <site@example.org>',
  to,
  subject,
  text: 'Open https://id.example.org/reset/made-up-token/',
  html: null,
  headers: {},
})

/** Waits, turn by turn of the event loop, until the condition holds. */
export async function until(reached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await reached())) await new Promise((resolve) => setImmediate(resolve))
}

/** A transport that delivers on command. */
export interface GatedTransport extends MailTransport {
  /** Oldest first. */
  readonly begun: MailMessage[]
  readonly sent: MailMessage[]
  /** Ends the oldest current attempt. */
  release(error?: Error): void
}

export function createGatedTransport(): GatedTransport {
  const begun: MailMessage[] = []
  const sent: MailMessage[] = []
  const waiting: { resolve(): void; reject(error: Error): void }[] = []
  return {
    begun,
    sent,
    async send(message) {
      begun.push(message)
      await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
      sent.push(message)
    },
    release(error) {
      const next = waiting.shift()
      if (error === undefined) next?.resolve()
      else next?.reject(error)
    },
  }
}

/** A row of the queue. */
export type MailRow = AuthTables['gatepost_mail']

/** A database, a clock and a log for queues. */
export interface MailBench {
  readonly test: TestDatabase<AuthTables>
  readonly clock: ManualClock
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields: LogFields }[]
  /** Creates a queue without starting it. */
  queueOn(transport: MailTransport, parts?: Partial<MailQueueParts>): MailQueue
  /** Stores mail in one transaction and wakes the queue. */
  enqueue(queue: MailQueue, ...messages: readonly MailMessage[]): Promise<void>
  rows(): Promise<readonly MailRow[]>
  isEmpty(): Promise<boolean>
  /** Returns whether no mail is claimed. */
  isUnclaimed(): Promise<boolean>
  close(): Promise<void>
}

export async function mailBench(open: (typeof testDatabases)[number][1]): Promise<MailBench> {
  const clock = manualClock()
  const test = await open(preparedAccounts(clock.now()))
  const { database } = test
  const queues: MailQueue[] = []
  const logged: { level: string; message: string; fields: LogFields }[] = []
  const sealer = createSealer(['a made-up key that only tests use, long enough'], randomBytes)
  const line =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void logged.push({ level, message, fields })
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const rows = async (): Promise<readonly MailRow[]> => database.db.selectFrom('gatepost_mail').selectAll().execute()
  return {
    test,
    clock,
    logged,
    queueOn(transport, parts = {}) {
      const queue = createMailQueue({ database, transport, sealer, clock, log, random: randomBytes, ...parts })
      queues.push(queue)
      return queue
    },
    async enqueue(queue, ...messages) {
      await database.transaction(async (tx) => {
        for (const message of messages) await queue.enqueue(tx, message)
      })
      queue.wake()
    },
    rows,
    isEmpty: async () => (await rows()).length === 0,
    isUnclaimed: async () => (await rows()).every((row) => row.claimed_until_ms === null),
    async close() {
      await Promise.all(queues.map(async (queue) => queue.stop(0)))
      await test.close()
    },
  }
}
