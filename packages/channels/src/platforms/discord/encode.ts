import { createHash } from 'node:crypto'
import type { OutboundFilePart, OutboundPart, OutboundTextPart } from '../../message.ts'

/** Without it a text could mention everyone. */
const NOBODY = { parse: [], replied_user: false } as const

/** The same for every attempt of a delivery; at most 25 characters. @see Discord, "Create Message", nonce */
export const createNonce = (deliveryId: string): string =>
  createHash('sha256').update(deliveryId).digest('base64url').slice(0, 24)

/** @see Discord, "Create Message" */
export function messageBody(part: OutboundPart): Readonly<Record<string, unknown>> {
  return {
    ...(part.kind === 'text' ? { content: part.body } : { attachments: [{ id: 0, filename: fileName(part) }] }),
    nonce: createNonce(part.deliveryId),
    enforce_nonce: true,
    allowed_mentions: NOBODY,
    ...(part.replyTo === undefined || !/^\d{1,20}$/.test(part.replyTo)
      ? {}
      : { message_reference: { message_id: part.replyTo, fail_if_not_exists: false } }),
  }
}

/** @see Discord, "Edit Message" */
export const editBody = (part: OutboundTextPart): Readonly<Record<string, unknown>> => ({
  content: part.body,
  allowed_mentions: NOBODY,
})

/** Without the control characters that would end a header line. */
export const fileName = (part: OutboundFilePart): string => part.name.replace(/\p{Cc}/gu, ' ').trim() || 'file'
