import { type ReactNode, useCallback } from 'react'
import { InputRejected } from './account-problem.ts'
import { problemTexts } from './problem-texts.ts'
import { ApiError } from '../../api/api-error.ts'
import { errorMessage } from '../../language/errors.ts'
import { type Format, useFormat } from '../../language/format.ts'
import { type Language, useLanguage } from '../../language/language.ts'
import { textsIn } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'

/** Returns the service's message about one field, in the page's language; `null` if there is none. */
export function fieldError(problem: unknown, param: string): string | null {
  if (!(problem instanceof InputRejected)) return null
  const own = problem.refusals.filter((refusal) => refusal.param === param)
  return own.length === 0 ? null : own.map(({ message }) => message).join(' ')
}

/** Returns the messages that aren't about one of `fields`. */
export function problemMessages(
  problem: unknown,
  fields: readonly string[],
  { language, format }: { readonly language: Language; readonly format: Pick<Format, 'span'> },
): readonly string[] {
  const { codes, wait, once } = textsIn(problemTexts, language)
  if (problem instanceof InputRejected) {
    const known: Readonly<Record<string, string | undefined>> = codes
    return problem.refusals
      .filter(({ param }) => param === undefined || !fields.includes(param))
      .map(({ code, message }) => known[code] ?? message)
  }
  if (problem instanceof ApiError && problem.code === 'rate_limited') {
    return [problem.retryAfter === null ? once : wait(format.span(Math.max(1, problem.retryAfter) * 1_000))]
  }
  return [errorMessage(problem, language)]
}

/** Returns a function that formats a problem as one text. */
export function useProblemMessage(): (problem: unknown) => string {
  const { language } = useLanguage()
  const format = useFormat()
  return useCallback((problem) => problemMessages(problem, [], { language, format }).join(' '), [language, format])
}

/** Shows the messages that aren't about one of `fields`. */
export function ProblemNotice({
  problem,
  fields = [],
}: {
  readonly problem: unknown
  readonly fields?: readonly string[]
}): ReactNode {
  const { language } = useLanguage()
  const format = useFormat()
  const sentences = problem === null ? [] : problemMessages(problem, fields, { language, format })
  if (sentences.length === 0) return null
  return (
    <Notice tone="bad" alert>
      {sentences.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}
