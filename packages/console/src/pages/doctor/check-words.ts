import { CHINESE, type ChineseWords, ENGLISH_REMEDIES } from './check-table.ts'
import type { Check } from '../../api/gateway-api.ts'
import type { Language } from '../../language/language.ts'

/** A check in the language of the page. */
export interface SaidCheck {
  readonly title: string
  /** What was proven. */
  readonly says: string
  /** The service's own words, where `says` is not them. */
  readonly evidence: string | null
  readonly remedy: string | null
}

const COMMAND = /\bnpx gatepost\b/
/** Names, numbers and addresses: what no translated sentence can say. */
const TELLS_MORE = /[\d@_/]/
const ADDRESS = /https?:\/\/[^\s)]+[^\s).,;:]/g

/** What a check says to people. A check that this page does not know is told in the service's own words. */
export function wordsOfCheck(check: Check, language: Language): SaidCheck {
  const { id, title, detail, status } = check
  const remedy = status === 'pass' ? null : (check.remedy ?? null)
  if (language === 'zh') return chinese(CHINESE[id], check, remedy)
  // the service speaks to whoever has a command line: here there are buttons
  const own = remedy !== null && COMMAND.test(remedy) ? ENGLISH_REMEDIES[id] : undefined
  return { title, says: detail, evidence: null, remedy: own ?? remedy }
}

function chinese(words: ChineseWords | undefined, { title, detail, status }: Check, remedy: string | null): SaidCheck {
  if (words === undefined) return { title, says: detail, evidence: null, remedy }
  const addresses = remedy?.match(ADDRESS) ?? []
  const own = words.remedy === undefined ? remedy : [words.remedy, ...addresses].join(' ')
  const says = status === 'pass' ? words.pass : words.not
  const evidence = status === 'pass' && !TELLS_MORE.test(detail) ? null : detail
  return { title: words.title, says, evidence, remedy: remedy === null ? null : own }
}

/** A piece of a remedy: words, or an address to follow. */
export interface RemedyPiece {
  readonly text: string
  readonly isAddress: boolean
}

/** A remedy in pieces, so that addresses in it can be followed. */
export function piecesOf(remedy: string): readonly RemedyPiece[] {
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
