import type { DemoOperation } from './demo.ts'
import { parsed } from '../server/request-body.ts'
import { z } from 'zod'

const id = z.string().min(1).max(100)
const nothing = z.strictObject({})

const OPTIONS: Readonly<Record<DemoOperation, z.ZodType<Readonly<Record<string, unknown>>>>> = {
  say: z.strictObject({
    from: z.strictObject({ id, name: id.optional() }),
    group: z.strictObject({ id, title: id.optional() }).optional(),
    text: z.string().trim().min(1).max(20_000),
    mention: z.boolean().optional(),
    replyTo: id.optional(),
  }),
  conversation: z.strictObject({ chatId: id, limit: z.int().min(1).max(1_000).optional() }),
  scan: z.strictObject({ act: z.string().max(20), userId: id.optional() }),
  injectFault: z.looseObject({ kind: z.string().max(100) }),
  clearFaults: z.strictObject({ id: z.int().optional() }),
  faults: nothing,
  switches: nothing,
  dropConnections: nothing,
  revoke: nothing,
  bot: nothing,
}

/** Options as the operation takes them. @throws {GatewayError} `invalid_body` */
export const optionsOf = (operation: DemoOperation, body: unknown): Readonly<Record<string, unknown>> =>
  parsed(OPTIONS[operation], body, 'invalid_body') as Readonly<Record<string, unknown>> // the schema's own type
