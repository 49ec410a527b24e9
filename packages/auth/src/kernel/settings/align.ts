import { DEFAULT_PASSWORD_RULES } from './password-rules.ts'
import type { Get, Setting } from './setting.ts'
import { GROUPS, TOP } from './setting-groups.ts'
import type { UserColumns } from './user-table.ts'

/**
 * Brings the settings together that say the same thing in two places.
 * @param given Settings that the caller wrote.
 * @param set   Replaces a value.
 */
export function alignSettings(
  get: Get,
  given: ReadonlyMap<unknown, unknown>,
  set: <T, I>(setting: Setting<T, I>, value: T) => void,
): void {
  const { userTable, passwordValidators } = TOP
  const { userModelUsernameField, userModelEmailField, passwordMinLength } = GROUPS.account
  const table = get(userTable)
  const username = columnOf('username', table.columns, get(userModelUsernameField))
  const email = columnOf('email', table.columns, get(userModelEmailField))
  set(userTable, { ...table, columns: { ...table.columns, username, email } })
  set(userModelUsernameField, username)
  set(userModelEmailField, email)
  if (given.has(passwordMinLength) && !given.has(passwordValidators)) {
    const minLength = get(passwordMinLength)
    set(
      passwordValidators,
      DEFAULT_PASSWORD_RULES.map((rule) => (rule.id === 'minimum_length' ? { ...rule, minLength } : rule)),
    )
  }
}

/** The column, which AUTH_USER_TABLE names, or the older setting of one field; `null` from either is `null`. */
function columnOf(field: 'username' | 'email', columns: UserColumns, named: string | null): string | null {
  const column = columns[field]
  if (column === null || named === null) return null
  return column === field ? named : column
}
