/** One part of a multipart form. */
export interface FormPart {
  readonly name: string
  /** Null for a field that is no file. */
  readonly fileName: string | null
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** Splits a multipart/form-data body; null when it is malformed. @see RFC 7578 */
export function splitForm(body: Buffer, contentType: string): readonly FormPart[] | null {
  const match = /boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary === undefined) return null
  const delimiter = Buffer.from(`--${boundary}`)
  const parts: FormPart[] = []
  let start = body.indexOf(delimiter)
  while (start !== -1) {
    start += delimiter.length
    if (body.toString('latin1', start, start + 2) === '--') return parts
    const end = body.indexOf(`\r\n--${boundary}`, start, 'latin1')
    const headEnd = body.indexOf('\r\n\r\n', start)
    if (end === -1 || headEnd === -1 || headEnd > end) return null
    const part = readPart(body.toString('utf8', start, headEnd), body.subarray(Math.min(headEnd + 4, end), end))
    if (part === null) return null
    parts.push(part)
    start = end + 2
  }
  return null
}

function readPart(head: string, content: Buffer): FormPart | null {
  const disposition = /^content-disposition:\s*form-data(.*)$/im.exec(head)?.[1] ?? ''
  const name = parameter(disposition, 'name')
  if (name === null) return null
  const mimeType = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? ''
  return { name, fileName: parameter(disposition, 'filename'), mimeType, bytes: new Uint8Array(content) }
}

function parameter(disposition: string, name: string): string | null {
  const match = new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^;\\s]+))`, 'i').exec(disposition)
  const value = match?.[1] ?? match?.[2]
  return value === undefined ? null : value.replaceAll('%22', '"').replaceAll(/%0[da]/gi, ' ')
}
