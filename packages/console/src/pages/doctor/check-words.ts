import { CHINESE, type ChineseCheck, ENGLISH_REMEDIES } from './check-table.ts'
import type { Check } from '../../api/gateway-api.ts'
import type { Language } from '../../language/language.ts'

/** A check in the language of the page. */
export interface CheckText {
  readonly title: string
  /** The result. */
  readonly says: string
  /** The service's own detail, if `says` doesn't contain it. */
  readonly evidence: string | null
  readonly remedy: string | null
}

const COMMAND = /\bnpx gatepost\b/
/** Matches details that hold values: names, numbers or addresses. */
const HAS_VALUES = /[\d@_/]/
const ADDRESS = /https?:\/\/[^\s)]+[^\s).,;:]/g

/** Describes a check in the page's language. Unknown checks keep the service's own words. */
export function describeCheck(check: Check, language: Language): CheckText {
  const { id, title, detail, status } = check
  const remedy = status === 'pass' ? null : (check.remedy ?? null)
  if (language === 'zh') return describeInChinese(CHINESE[id], check, remedy)
  // the service's remedies name commands: here there are buttons
  const own = remedy !== null && COMMAND.test(remedy) ? ENGLISH_REMEDIES[id] : undefined
  return { title, says: detail, evidence: null, remedy: own ?? remedy }
}

function describeInChinese(
  words: ChineseCheck | undefined,
  { title, detail, status }: Check,
  remedy: string | null,
): CheckText {
  if (words === undefined) return { title, says: detail, evidence: null, remedy }
  const addresses = remedy?.match(ADDRESS) ?? []
  const own = words.remedy === undefined ? remedy : [words.remedy, ...addresses].join(' ')
  const says = status === 'pass' ? words.pass : words.not
  const evidence = status === 'pass' && !HAS_VALUES.test(detail) ? null : detail
  return { title: words.title, says, evidence, remedy: remedy === null ? null : own }
}

/** A part of a remedy: text or a link. */
export interface RemedyPiece {
  readonly text: string
  readonly isAddress: boolean
}

/** Splits a remedy into text and links. */
export function splitRemedy(remedy: string): readonly RemedyPiece[] {
  const pieces: RemedyPiece[] = []
  let end = 0
  for (const { 0: text, index } of remedy.matchAll(ADDRESS)) {
    if (index > end) pieces.push({ text: remedy.slice(end, index), isAddress: false })
    pieces.push({ text, isAddress: true })
    end = index + text.length
  }
  if (end < remedy.length) pieces.push({ text: remedy.slice(end), isAddress: false })
  return pieces
}
