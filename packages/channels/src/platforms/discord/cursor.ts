import { z } from 'zod'

/** Position in the event stream, stored together with the messages up to it. */
export interface Position {
  /** `null`: no session to resume. */
  readonly session: StoredSession | null
  /** Of the last event that is stored, within the session. */
  readonly sequence: number
  /** Messages since this time still have to be read from the history, milliseconds since the Unix epoch. */
  readonly sinceMs: number | null
}

/** A gateway session that can be resumed. */
export interface StoredSession {
  readonly sessionId: string
  readonly resumeUrl: string
  /** Begun with the message content intent. */
  readonly hasContent: boolean
}

/** Position without a session. */
export const START: Position = { session: null, sequence: 0, sinceMs: null }

const count = z.number().int().nonnegative()
const schema = z.object({
  v: z.literal(1),
  session: z.object({ id: z.string().min(1), url: z.string(), content: z.boolean() }).nullable(),
  seq: count,
  since: count.nullable(),
})

/** `null` for what this version did not write. */
export function readCursor(cursor: string): Position | null {
  try {
    const { session, seq, since } = schema.parse(JSON.parse(cursor))
    const stored = session && { sessionId: session.id, resumeUrl: session.url, hasContent: session.content }
    return { session: stored, sequence: seq, sinceMs: since }
  } catch {
    return null
  }
}

/** Serializes a position. */
export function writeCursor({ session, sequence, sinceMs }: Position): string {
  const stored = session && { id: session.sessionId, url: session.resumeUrl, content: session.hasContent }
  return JSON.stringify({ v: 1, session: stored, seq: sequence, since: sinceMs } satisfies z.infer<typeof schema>)
}
