/** So many of the most common passwords are refused. */
const REFUSED = 20_000
const LIST = 'passwords-common'

/**
 * Whether it is among the 20,000 most common passwords, without regard to case. The list is loaded at first use and
 * searched as it is: new passwords are rare, and a set of it would take megabytes for good.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const index = dictionary[LIST].indexOf(password.toLowerCase())
  return index >= 0 && index < REFUSED
}
