import type { Translate } from '../templates.ts'
import { Markup, type OutputKind, toText } from './markup.ts'

/** Stand for markup while the text around it is translated and escaped. Private use, so no text has them. */
const OPEN = '\uE000'
const CLOSE = '\uE001'
const MARKS = /[\uE000\uE001]/g

/**
 * The text in the visitor's language, with its placeholders filled. Values that are markup stay markup, so that a link
 * can stand in a sentence; the rest is escaped when it is written.
 */
export function translate(
  t: Translate,
  key: string,
  values: Readonly<Record<string, unknown>>,
  output: Pick<OutputKind, 'write' | 'finished'>,
): Markup | string {
  const pieces: Markup[] = []
  const plain: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Markup) plain[name] = `${OPEN}${pieces.push(value) - 1}${CLOSE}`
    else plain[name] = typeof value === 'number' ? value : toText(value)
  }
  if (pieces.length === 0) return t(key, plain)
  for (const [name, value] of Object.entries(plain)) {
    if (!(values[name] instanceof Markup) && typeof value === 'string') plain[name] = value.replace(MARKS, '')
  }
  const text = output.write(t(key, plain))
  return output.finished(text.replace(/\uE000(\d+)\uE001/g, (_all, index: string) => pieces[Number(index)]?.html ?? ''))
}
