/** A value of a gap's reason. */
export type GapValue = string | number | boolean

/**
 * Why messages may have been lost: the English text for each code. Clients translate a reason by its code and values. A
 * code is stored, so it's never reused.
 */
const GAP_REASONS = {
  offline_too_long: () => 'the channel was offline for longer than the platform keeps messages',
  // WeCom
  messages_not_kept: () => "WeCom doesn't keep messages for a bot that is offline",
  // Discord
  session_not_resumed: ({ read, unread }: { readonly read: number; readonly unread: number }) => {
    const rest = unread === 0 ? '' : ` ${unread} couldn't be read completely.`
    return `Discord couldn't resume the session. The history of ${read} known chats was read.${rest} Messages in other chats may be missing.`
  },
  // Feishu
  history_unread: ({
    count,
    words,
    redelivered,
  }: {
    readonly count: number
    /** Feishu's own words about the first chat, or an English description. */
    readonly words: string
    /** Feishu still redelivers the messages. */
    readonly redelivered: boolean
  }) =>
    `Couldn't read the history of ${count} chats: ${words}.${redelivered ? ' Feishu redelivers them within 6 hours.' : ''}`,
  new_users_missed: () => 'messages from new users may be missing: Feishu keeps them for only 6 hours',
} as const

type GapReasons = typeof GAP_REASONS

/** Why messages may have been lost, as a code with its values and as an English text. */
export interface GapReason {
  readonly why: string
  /** `null` in gaps that were stored without a code. */
  readonly reason_code: string | null
  readonly values: Readonly<Record<string, GapValue>>
}

/** Returns a reason with its English text. */
export function toGapReason<C extends keyof GapReasons>(code: C, ...values: Parameters<GapReasons[C]>): GapReason {
  const [given] = values as readonly [GapReason['values']?] // the parameter of each function above
  const render = GAP_REASONS[code] as (values: GapReason['values']) => string // its values belong to this code
  return { why: render(given ?? {}), reason_code: code, values: given ?? {} }
}
