import type { UserIdType } from '../settings/user-table.ts'
import type { UserId } from '../users/user.ts'

const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/
const LARGEST_INTEGER = 2 ** 31 - 1

/** A user's id as it stands in links: base36 for numbers, 32 hex digits for UUIDs, other ids as they are. */
export function userIdText(id: UserId, idType: UserIdType): string {
  if (typeof id === 'number') return id.toString(36)
  return idType === 'uuid' ? id.toLowerCase().replaceAll('-', '') : id
}

/** The id of a text from a link; `null` for one that no user can have. */
export function userIdFromText(text: string, idType: UserIdType): UserId | null {
  if (idType === 'text') return text !== '' && text.length <= 255 && isStorable(text) ? text : null
  if (idType === 'uuid') {
    const groups = UUID.exec(text.toLowerCase())
    return groups ? groups.slice(1).join('-') : null
  }
  if (!/^[0-9a-z]{1,11}$/i.test(text)) return null
  const id = Number.parseInt(text, 36)
  return id <= (idType === 'integer' ? LARGEST_INTEGER : Number.MAX_SAFE_INTEGER) ? id : null
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
