import type { Answer } from '../../api/call.ts'

/** Somebody who has written to a bot. */
export type Person = Answer<'listUsers'>['users'][number]

/** As people are called here. */
export const knownName = ({ name, username, user_id: id }: Pick<Person, 'name' | 'username' | 'user_id'>): string =>
  name ?? username ?? id

/** Whether somebody is looked for with this text: by a part of a name, or of the id. */
export function matches({ name, username, user_id: id }: Person, text: string): boolean {
  const wanted = text.trim().toLowerCase().replace(/^@/, '')
  return [name, username, id].some((one) => one?.toLowerCase().includes(wanted) === true)
}

/** Whom the bot answers. Empty: everybody. */
export interface Allowed {
  readonly ids: readonly string[]
  /** `false`: the service does not tell the list of this platform; it is guessed from those who have written. */
  readonly isTold: boolean
}

/** What is known of the list. @param told As the channel tells it. */
export function allowedOf(told: readonly string[] | undefined, users: readonly Person[]): Allowed {
  if (told !== undefined) return { ids: told, isTold: true }
  const isLimited = users.some(({ allowed }) => !allowed)
  return { ids: isLimited ? users.filter(({ allowed }) => allowed).map(({ user_id: id }) => id) : [], isTold: false }
}
