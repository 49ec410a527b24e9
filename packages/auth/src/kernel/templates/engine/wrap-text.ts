/** A break that may be made: blanks within a line, but not those that indent it. */
const BLANKS = / +/

/**
 * Breaks long lines between words, for mail that is read as plain text. Words that are longer (links) stay whole, and
 * so do indented lines.
 * @param columns Most characters of a line.
 */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns || line.startsWith(' ') ? line : wrapLine(line, columns)))
    .join('\n')
}

function wrapLine(line: string, columns: number): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(BLANKS)) {
    const longer = current === '' ? word : `${current} ${word}`
    if (longer.length <= columns || current === '') {
      current = longer
      continue
    }
    lines.push(current)
    current = word
  }
  return [...lines, current].join('\n')
}
