import { stripVTControlCharacters, styleText } from 'node:util'

/** Makes text from people or platforms safe for a terminal: one line, no escape sequences, no direction overrides. */
export const plainLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()

/** Formats JSON for a terminal or a pipe, escaping characters that a terminal might act on. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/** Shortens an app id to its first twelve characters. */
export const cutId = (id: string): string => (id.length > 12 ? `${id.slice(0, 12)}…` : id)

/** Masks a secret to its last four characters, or entirely if it has fewer than twelve. */
export const maskSecret = (secret: string): string => (secret.length >= 12 ? `****${secret.slice(-4)}` : '****')

/** Colours a text. */
export type Paint = (text: string) => string
/** The colours of an output. */
export interface Palette {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

/** Returns the colours of an output. Without colour support, every function returns its text unchanged. */
export const createPalette = (output: Output): Palette => {
  const paint =
    (format: keyof Palette): Paint =>
    (text) =>
      output.colour ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  }
}

/** A stream for text, and what it can display. */
export interface Output {
  write(text: string): void
  readonly isTty: boolean
  readonly colour: boolean
  /** Width in characters; `Infinity` if it isn't a terminal. */
  readonly columns: number
}

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

const duration = (ms: number): string => {
  for (const [unit, size] of UNITS) {
    const count = Math.floor(ms / size)
    if (count >= 1) return unit === 'day' && count > 1 ? `${count} days` : `${count} ${unit}`
  }
  return '0 s'
}

/** Formats `atMs` relative to `nowMs`: `just now`, `2 min ago`, `in 5 s`; local date and time beyond a week. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - atMs)
  if (distance >= 7 * 86_400_000) return localTime(atMs)
  if (atMs > nowMs) return `in ${duration(Math.max(distance, 1000))}`
  return distance < 5000 ? 'just now' : `${duration(distance)} ago`
}

/** Formats a time in the local time zone: `2026-11-21 09:30`. */
export function localTime(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}

/** A table cell: its text, and how to colour it at its final width. */
export type Cell = string | { readonly text: string; readonly paint: Paint }

/** Formats lines of `name   value`, with the names dimmed and padded to one width. Names are plain ASCII. */
export function pairs(entries: readonly (readonly [name: string, value: Cell])[], output: Output, indent = ''): string {
  const { dim } = createPalette(output)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries
    .map(([name, value]) => {
      const space = ' '.repeat(width - name.length + 3)
      return `${indent}${dim(name)}${space}${typeof value === 'string' ? value : value.paint(value.text)}\n`
    })
    .join('')
}
