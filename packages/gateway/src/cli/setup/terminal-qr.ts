import encodeQR from 'qr'

/** Renders a QR code for a terminal: two rows per line, with a quiet zone, dark on light in any colour scheme. */
export function terminalQr(text: string): string {
  const modules = encodeQR(text, 'raw', { ecc: 'low', border: 2 })
  const lines: string[] = []
  for (let row = 0; row < modules.length; row += 2) {
    const cells = (modules[row] ?? []).map((upper, column) => block(upper, modules[row + 1]?.[column] ?? false))
    lines.push(`\u001b[30;107m${cells.join('')}\u001b[0m`)
  }
  return `\n${lines.join('\n')}\n\n`
}

const block = (upper: boolean, lower: boolean): string => {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
