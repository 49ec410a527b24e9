import { insidePair } from './plain-text.ts'

const SPACE = /\s/
const WIDE_SENTENCE_END = '。！？｡'
const WIDE_PAUSE = '，、；：'
const SENTENCE_END = '.!?…'
const CLOSER = '"\')]}»”’」』）】》'
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  if (code < 128) return code === 32 || (code >= 9 && code <= 13)
  return SPACE.test(text.charAt(index))
}

/** Where the white space that ends at `end` begins, at the earliest `start`. */
export function trimEnd(text: string, start: number, end: number): number {
  let at = end
  while (at > start && isSpace(text, at - 1)) at--
  return at
}

/**
 * Where the part after a break at `stop` begins: white space is skipped up to its last line break; the indentation after
 * that stays when it has at most `indent` characters. The very beginning of a text counts as the beginning of a line.
 */
export function nextStart(text: string, stop: number, indent: number): number {
  let at = stop
  let line = stop === 0 ? 0 : -1
  for (; at < text.length && isSpace(text, at); at++) if (text.charCodeAt(at) === 10) line = at + 1
  if (line >= 0 && at - line <= indent) return line
  // a combining character takes the space before it as its base
  return at > stop && !clusterStart(text, at) ? at - 1 : at
}

/**
 * Where to end a part of `text` that begins at `start` and may go as far as `reach`: at a border of blocks, else of
 * lines, else of sentences when it lies in the second half, else between words when in the last three quarters, else
 * between grapheme clusters. A cluster is divided only when it is longer than the part.
 * @param borders Where gaps between blocks begin, ascending.
 * @returns An index after `start`; the text before it does not end with white space.
 */
export function chooseBreak(text: string, start: number, reach: number, borders: readonly number[]): number {
  let first = start
  while (first < text.length && isSpace(text, first)) first++
  const least = first + (insidePair(text, first + 1) ? 2 : 1)
  if (reach <= least) return least
  const half = Math.max(least, start + Math.floor((reach - start) / 2))
  const quarter = Math.max(least, start + Math.floor((reach - start) / 4))
  const found =
    borderBreak(text, half, reach, borders) ??
    findLast(text, half, reach, isLineEnd) ??
    findLast(text, half, reach, isSentenceEnd) ??
    findLast(text, quarter, reach, isWordEnd)
  return trimEnd(text, least, found ?? graphemeBreak(text, first, reach))
}

function borderBreak(text: string, from: number, reach: number, borders: readonly number[]): number | null {
  let low = 0
  let high = borders.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((borders[middle] ?? 0) <= reach) low = middle + 1
    else high = middle
  }
  const border = borders[low - 1]
  return border !== undefined && border >= from && clusterStart(text, border) ? border : null
}

type Test = (text: string, index: number) => boolean

function findLast(text: string, from: number, reach: number, test: Test): number | null {
  for (let at = reach; at >= from; at--) if (test(text, at) && clusterStart(text, at)) return at
  return null
}

function isLineEnd(text: string, index: number): boolean {
  return text.charCodeAt(index) === 10
}

function isSentenceEnd(text: string, index: number): boolean {
  const spaced = isSpace(text, index)
  let at = index
  while (at > 0 && CLOSER.includes(text.charAt(at - 1)) && index - at < 4) at--
  const last = text.charAt(at - 1)
  if (last === '') return false
  if (spaced) return SENTENCE_END.includes(last) || WIDE_SENTENCE_END.includes(last)
  return WIDE_SENTENCE_END.includes(last) && !CLOSER.includes(text.charAt(index))
}

function isWordEnd(text: string, index: number): boolean {
  return isSpace(text, index) || WIDE_PAUSE.includes(text.charAt(index - 1))
}

/** Returns whether a grapheme cluster begins here; the character before `index` is white space, punctuation or ASCII. */
function clusterStart(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length || isAscii(text, index)) return true
  return graphemes.segment(text.slice(index - 1, index + 2)).containing(1)?.index === 1
}

function isAscii(text: string, index: number): boolean {
  return text.charCodeAt(index) < 128
}

function graphemeBreak(text: string, start: number, reach: number): number {
  // between two ASCII characters is always a boundary, so nothing before that matters
  let from = reach
  while (from > start && !(isAscii(text, from - 1) && isAscii(text, from))) from--
  const cluster = graphemes.segment(text.slice(from, reach + 2)).containing(reach - from)
  const found = from + (cluster?.index ?? 0)
  if (found > start) return found
  return insidePair(text, reach) ? reach - 1 : reach
}
