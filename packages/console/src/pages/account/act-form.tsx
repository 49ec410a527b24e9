import { type ReactNode, type SubmitEvent, useEffect, useRef } from 'react'
import style from './account.module.css'
import { ProblemNotice } from './problem.tsx'
import { focusFirstInvalid } from '../../parts/first-wrong.ts'

/** A form that shows its problem and focuses the first invalid field. */
export function ActionForm({
  problem,
  fields,
  onSubmit,
  children,
}: {
  readonly problem: unknown
  /** Fields that show their own errors. */
  readonly fields: readonly string[]
  onSubmit(): void
  readonly children: ReactNode
}): ReactNode {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem !== null) focusFirstInvalid(form.current)
  }, [problem])
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    // in React's tree, a form in a dialog is inside the form behind it
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
