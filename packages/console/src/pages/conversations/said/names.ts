import type { Conversation } from '../../../api/gateway-api.ts'

/** Who a conversation is with, in one line. */
export function nameOf({ chat, people }: Pick<Conversation, 'chat' | 'people'>): string {
  if (chat.title !== null && chat.title !== '') return chat.title
  const names = people.map(({ name, user_id }) => nameOr(name, user_id))
  if (chat.kind === 'direct') return names[0] ?? chat.id
  return names.length === 0 ? chat.id : names.join(', ')
}

/** A name, else the id that the platform gives. */
export const nameOr = (name: string | null | undefined, id: string): string =>
  name === null || name === undefined || name.trim() === '' ? id : name
