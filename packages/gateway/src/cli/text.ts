import { stripVTControlCharacters, styleText } from 'node:util'

/** Text from a person or a platform, made safe for a terminal: one line, no escape sequences, no direction overrides. */
export const plainLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()

/** JSON for a terminal or a pipe: characters that a terminal might act on are escaped. */
export const jsonText = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const WIDE =
  /^[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{33ff}\u{3400}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\u{fe0f}/u
const INVISIBLE = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

const graphemeWidth = (grapheme: string): number => (INVISIBLE.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1)

/** How many columns `text` takes in a terminal (East Asian wide characters and emoji take two); colours take none. */
export const displayWidth = (text: string): number => {
  let width = 0
  for (const { segment } of GRAPHEMES.segment(stripVTControlCharacters(text))) width += graphemeWidth(segment)
  return width
}

/** `text` without colours, cut with an ellipsis to `columns`. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) {
    width += graphemeWidth(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut.trimEnd()}…`
}

/** `text` in lines of at most `columns`, broken between words; a word that is wider stands alone. */
export function wrapToWidth(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && displayWidth(longer) > columns) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** Ids that identify an app are shown with their first twelve characters. */
export const cutId = (id: string): string => (id.length > 12 ? `${id.slice(0, 12)}…` : id)

/** A secret as it may be shown: its last four characters, and none when it is too short to hide the rest. */
export const maskSecret = (secret: string): string => (secret.length >= 12 ? `****${secret.slice(-4)}` : '****')

export type Paint = (text: string) => string
export interface Palette {
  readonly bold: Paint
  readonly dim: Paint
  readonly red: Paint
  readonly green: Paint
  readonly yellow: Paint
  readonly cyan: Paint
}

/** Colours of this output; without colour every one leaves the text as it is. */
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

/** A stream that text is written to, and what it can show. */
export interface Output {
  write(text: string): void
  readonly isTty: boolean
  readonly colour: boolean
  /** Characters in a line; `Infinity` when it is not a terminal. */
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

/** `atMs` against `nowMs`: `just now`, `2 min ago`, `in 5 s`; a week and more away: the local date and time. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - atMs)
  if (distance >= 7 * 86_400_000) return localTime(atMs)
  if (atMs > nowMs) return `in ${duration(Math.max(distance, 1000))}`
  return distance < 5000 ? 'just now' : `${duration(distance)} ago`
}

/** Date and time in the zone of this process: `2026-11-21 09:30`. */
export function localTime(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`
}
