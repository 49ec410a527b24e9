import { type ReactNode, useCallback } from 'react'
import { InputRefused } from './account-problem.ts'
import { problemTexts } from './problem-texts.ts'
import { ApiError } from '../../api/api-error.ts'
import { sentenceOf } from '../../language/errors.ts'
import { type Format, useFormat } from '../../language/format.ts'
import { type Language, useLanguage } from '../../language/language.ts'
import { textsIn } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'

/** What is wrong with one field, as the service says it in the language of the page; `null`: nothing. */
export function fieldError(problem: unknown, param: string): string | null {
  if (!(problem instanceof InputRefused)) return null
  const own = problem.refusals.filter((refusal) => refusal.param === param)
  return own.length === 0 ? null : own.map(({ message }) => message).join(' ')
}

/** What is wrong besides the `fields` that say it themselves. */
export function sentencesOf(
  problem: unknown,
  fields: readonly string[],
  { language, format }: { readonly language: Language; readonly format: Pick<Format, 'span'> },
): readonly string[] {
  const { codes, wait, once } = textsIn(problemTexts, language)
  if (problem instanceof InputRefused) {
    const known: Readonly<Record<string, string | undefined>> = codes
    return problem.refusals
      .filter(({ param }) => param === undefined || !fields.includes(param))
      .map(({ code, message }) => known[code] ?? message)
  }
  if (problem instanceof ApiError && problem.code === 'rate_limited') {
    return [problem.retryAfter === null ? once : wait(format.span(Math.max(1, problem.retryAfter) * 1_000))]
  }
  return [sentenceOf(problem, language)]
}

/** A problem in one sentence, for where there are no fields. */
export function useSentence(): (problem: unknown) => string {
  const { language } = useLanguage()
  const format = useFormat()
  return useCallback((problem) => sentencesOf(problem, [], { language, format }).join(' '), [language, format])
}

/** What is wrong besides the `fields` that say it themselves; nothing when nothing is. */
export function ProblemNotice({
  problem,
  fields = [],
}: {
  readonly problem: unknown
  readonly fields?: readonly string[]
}): ReactNode {
  const { language } = useLanguage()
  const format = useFormat()
  const sentences = problem === null ? [] : sentencesOf(problem, fields, { language, format })
  if (sentences.length === 0) return null
  return (
    <Notice tone="bad" alert>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}
