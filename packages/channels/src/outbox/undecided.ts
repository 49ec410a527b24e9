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
export function decide(row: DeliveryRow, can: Connection['can']): Undecided {
  if (isRepeatable(row, can, row.updated_at_ms)) return 'repeat'
  if (can.findSent && row.mark !== null) return 'find'
  const content = readContent(row.content_json)
  // an unfinished form of it may stand there and stay: that is not the answer
  return content.kind === 'text' && content.begun === true ? 'send' : 'nobody knows'
}

/**
 * Whether an attempt that has not told how it ended can be made again without showing twice.
 * @param triedAtMs When it was made. @throws {ZodError} when the row does not hold what this version wrote.
 */
export const isRepeatable = (row: DeliveryRow, { resend, editAgain }: Connection['can'], triedAtMs: number): boolean =>
  row.platform_message_id === null
    ? resend?.(toPart(row), triedAtMs) === true
    : (editAgain?.(row.platform_message_id) ?? true)
