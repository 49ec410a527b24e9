/** Variables that programs need to find others, their files, their locale and certificates. None holds a secret. */
const BASIC =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES)$/i

/**
 * Returns the environment of a program that the service starts: only basic variables, because the others may hold secrets
 * of the service or of its machine.
 * @param also Names of further variables.
 */
export const childEnvironment = (
  env: Readonly<Record<string, string | undefined>>,
  also: readonly string[] = [],
): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => BASIC.test(name) || also.includes(name)))
