import type { GroupPolicy } from '../config/credential-store.ts'
import type { InboundMessage } from '../message.ts'

/** Whom the assistant answers on one channel. */
export interface AccessRules {
  /** Platform user ids; empty: everybody. */
  readonly allowedUsers: readonly string[]
  /** Default `allowed`. */
  readonly groupPolicy?: GroupPolicy | undefined
}

/**
 * `answer`: goes to the assistant. `ignore`: stored, so that the operator sees who tried, and not answered.
 * `overhear`: group talk that is not meant for the bot; not even stored.
 */
export type Access =
  | { readonly decision: 'answer' | 'overhear' }
  | { readonly decision: 'ignore'; readonly reason: string }

export function decideAccess(message: InboundMessage, rules: AccessRules): Access {
  if (!message.addressed) return { decision: 'overhear' }
  const policy = message.chat.kind === 'group' ? (rules.groupPolicy ?? 'allowed') : 'allowed'
  if (policy === 'nobody') return { decision: 'ignore', reason: 'groups_not_answered' }
  if (policy === 'allowed' && rules.allowedUsers.length > 0 && !rules.allowedUsers.includes(message.from.id)) {
    return { decision: 'ignore', reason: 'not_allowed' }
  }
  return { decision: 'answer' }
}
