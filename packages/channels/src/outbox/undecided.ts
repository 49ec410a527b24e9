import type { Connection } from '../connection.ts'
import { readContent } from './content.ts'
import type { DeliveryRow } from './deliveries.sql.ts'
import { toPart } from './part.ts'

/**
 * What to do about a delivery whose last attempt has not told how it ended.
 * `repeat`: once more, only that tells what stands there. `send`: it does not stand there. `find`: ask the platform.
 */
export type Undecided = 'repeat' | 'send' | 'find' | 'nobody knows'

/** @throws {ZodError} when the row does not hold what this version wrote. */
export function decide(row: DeliveryRow, { findSent, resend }: Connection['can']): Undecided {
  // repeating an edit shows nothing twice
  if (row.platform_message_id !== null || resend?.(toPart(row), row.updated_at_ms) === true) return 'repeat'
  if (findSent && row.mark !== null) return 'find'
  const content = readContent(row.content_json)
  // an unfinished form of it may stand there and stay: that is not the answer
  return content.kind === 'text' && content.begun === true ? 'send' : 'nobody knows'
}
