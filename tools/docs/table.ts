const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** Renders a Markdown table. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Formats text as inline code in Markdown. */
export const toCode = (text: string): string => `\`${text}\``

/** Renders a table of errors with their codes, statuses, and messages. */
export const renderErrorTable = (
  errors: Readonly<Record<string, { readonly status: number; readonly message: string }>>,
): string =>
  renderTable(
    ['Code', 'Status', 'Message'],
    Object.entries(errors).map(([name, { status, message }]) => [toCode(name), String(status), message]),
  )
