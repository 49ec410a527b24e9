import type { Answer } from '../../api/client.ts'

/** A person who has messaged a bot. */
export type Person = Answer<'listUsers'>['users'][number]

/** Returns the name to show for a person. */
export const displayName = ({ name, username, user_id: id }: Pick<Person, 'name' | 'username' | 'user_id'>): string =>
  name ?? username ?? id

/** Reports whether a text is part of a person's names or ID. */
export function matchesPerson({ name, username, user_id: id }: Person, text: string): boolean {
  const wanted = text.trim().toLowerCase().replace(/^@/, '')
  return [name, username, id].some((one) => one?.toLowerCase().includes(wanted) === true)
}

/** The people the bot replies to. Empty: everyone. */
export interface AllowedUserList {
  readonly ids: readonly string[]
  /** `false`: the service doesn't return this platform's list, so it's inferred from the known people. */
  readonly isKnown: boolean
}

/** Returns the list of allowed people. @param listed The list of the channel, if the service returns it. */
export function toAllowedList(listed: readonly string[] | undefined, users: readonly Person[]): AllowedUserList {
  if (listed !== undefined) return { ids: listed, isKnown: true }
  const isLimited = users.some(({ allowed }) => !allowed)
  return { ids: isLimited ? users.filter(({ allowed }) => allowed).map(({ user_id: id }) => id) : [], isKnown: false }
}
