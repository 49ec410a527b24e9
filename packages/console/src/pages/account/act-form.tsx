import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import style from './account.module.css'
import { ProblemNotice } from './problem.tsx'
import { focusFirstWrong } from '../../parts/first-wrong.ts'

/** A form whose problem is shown in it; after a refusal the first field that is wrong has the focus. */
export function ActForm({
  problem,
  fields,
  onSubmit,
  children,
}: {
  readonly problem: unknown
  /** Those that say themselves what is wrong with them. */
  readonly fields: readonly string[]
  onSubmit(): void
  readonly children: ReactNode
}): ReactNode {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem !== null) focusFirstWrong(form.current)
  }, [problem])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    // a form in a dialog stands in the tree of the form behind it
    event.stopPropagation()
    onSubmit()
  }
  return (
    <form ref={form} className={style['form']} noValidate onSubmit={submit}>
      {children}
      <ProblemNotice problem={problem} fields={fields} />
    </form>
  )
}
