const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Text as code in Markdown. */
export const code = (text: string): string => `\`${text}\``

/** The table of an object of errors. */
export const errorTable = (
  errors: Readonly<Record<string, { readonly status: number; readonly message: string }>>,
): string =>
  table(
    ['Code', 'Status', 'Sentence'],
    Object.entries(errors).map(([name, { status, message }]) => [code(name), String(status), message]),
  )
