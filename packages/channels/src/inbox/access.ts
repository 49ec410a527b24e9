import type { GroupPolicy } from '../config/credential-store.ts'
import type { InboundMessage } from '../message.ts'

/** Which users the assistant replies to on one channel. */
export interface AccessRules {
  /** Platform user ids; empty: everyone. */
  readonly allowedUsers: readonly string[]
  /** Default `allowed`. */
  readonly groupPolicy?: GroupPolicy | undefined
}

/**
 * `answer`: passed to the assistant. `ignore`: stored for the operator to see, but not answered. `overhear`: a group
 * message that is not addressed to the bot; not stored.
 */
export type Access =
  | { readonly decision: 'answer' | 'overhear' }
  | { readonly decision: 'ignore'; readonly reason: string }

/** Decides whether a message is answered, ignored or not even stored. */
export function decideAccess(message: InboundMessage, rules: AccessRules): Access {
  if (!message.addressed) return { decision: 'overhear' }
  const policy = message.chat.kind === 'group' ? (rules.groupPolicy ?? 'allowed') : 'allowed'
  if (policy === 'nobody') return { decision: 'ignore', reason: 'groups_not_answered' }
  if (policy === 'allowed' && rules.allowedUsers.length > 0 && !rules.allowedUsers.includes(message.from.id)) {
    return { decision: 'ignore', reason: 'not_allowed' }
  }
  return { decision: 'answer' }
}
