/** Why a user is unreachable, as Gatepost knows it: the English text for each code. */
export const UNREACHABLE_REASONS = {
  bot_blocked: 'The bot was blocked or removed.',
  bot_left: 'The bot is no longer in this group.',
  bot_muted: 'The bot has no permission to write in this group.',
  no_direct_chat: "hasn't messaged the bot directly",
} as const

/** Code of such a reason. */
export type UnreachableCode = keyof typeof UNREACHABLE_REASONS

/** Returns whether a stored reason is a code, not the platform's own text. */
export const isUnreachableCode = (reason: string): reason is UnreachableCode =>
  Object.hasOwn(UNREACHABLE_REASONS, reason)
