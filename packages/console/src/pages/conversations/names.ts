import type { Conversation } from '../../api/gateway-api.ts'

/** Returns the title of a conversation, or the names of its people. */
export function conversationName({ chat, people }: Pick<Conversation, 'chat' | 'people'>): string {
  if (chat.title !== null && chat.title !== '') return chat.title
  const names = people.map(({ name, user_id }) => nameOrId(name, user_id))
  if (chat.kind === 'direct') return names[0] ?? chat.id
  return names.length === 0 ? chat.id : names.join(', ')
}

/** Returns the name, or the platform's ID if there is none. */
export const nameOrId = (name: string | null | undefined, id: string): string =>
  name === null || name === undefined || name.trim() === '' ? id : name
