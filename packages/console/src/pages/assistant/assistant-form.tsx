import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import type { Assistant } from '../../api/gateway-api.ts'
import { useChange } from '../../api/queries.ts'
import { errorMessage } from '../../language/errors.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm, LeaveGuard } from '../../parts/dialog.tsx'
import { focusFirstInvalid } from '../../parts/field.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'
import style from './assistant.module.css'
import {
  collectChanges,
  createDraft,
  type Draft,
  findProblems,
  isChanged,
  type Problems,
  type TextField,
} from './draft.ts'
import { Fields, KindChoice, VARIABLES } from './fields.tsx'
import { assistantTexts } from './texts.ts'
import { TryBox } from './try-box.tsx'
import { useTrial } from './trial.ts'

interface FormProps {
  readonly assistant: Assistant
  /** Called with the saved settings. */
  onChanged(assistant: Assistant): void
}

/** The form of the assistant's settings, with a box to try them before saving. */
export function AssistantForm({ assistant, onChanged }: FormProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const form = useRef<HTMLFormElement>(null)
  const { draft, isUnsaved, problems, save, change, discard, submit, check, taken } = useDraft(
    assistant,
    onChanged,
    form,
  )
  const trials = useTrial()
  return (
    <div className={style['page']}>
      <form
        ref={form}
        className={style['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <Settings {...{ assistant, draft, problems, change }} refusal={save.error} />
        <FormFoot isUnsaved={isUnsaved} isSaving={save.isPending} changedAt={assistant.changed_at} onDiscard={discard}>
          {assistant.changed_at !== null && <Reset onReset={taken} />}
        </FormFoot>
      </form>
      <TryBox
        trials={trials}
        isUnsaved={isUnsaved}
        onAsk={(message) => check() && trials.ask(message, collectChanges(assistant, draft))}
      />
      <LeaveGuard when={isUnsaved} title={texts.leaveTitle} act={texts.leave}>
        {texts.leaveLead}
      </LeaveGuard>
    </div>
  )
}

/** Holds the edited settings until they are saved. */
function useDraft(
  assistant: Assistant,
  onChanged: FormProps['onChanged'],
  form: RefObject<HTMLFormElement | null>,
): DraftState {
  const texts = useTexts(assistantTexts)
  const [typed, type] = useState<Draft | null>(null)
  const draft = typed ?? createDraft(assistant)
  const { problems, found, check, reset } = useProblems(draft, form)
  const save = useChange('changeAssistant', 'getService')
  const discard = (): void => {
    save.reset()
    reset()
    type(null)
  }
  const taken = (changed: Assistant): void => {
    onChanged(changed)
    discard()
  }
  const onSuccess = (changed: Assistant): void => {
    taken(changed)
    notify(texts.saved)
  }
  return {
    draft,
    isUnsaved: isChanged(assistant, draft),
    problems,
    save,
    check,
    discard,
    taken,
    change(next) {
      save.reset()
      type({ ...draft, ...next })
    },
    submit() {
      if (check()) save.mutate({ body: collectChanges(assistant, draft) }, { onSuccess, onError: found })
    },
  }
}

interface DraftState {
  readonly draft: Draft
  readonly isUnsaved: boolean
  readonly problems: Problems
  readonly save: { readonly error: ApiError | null; readonly isPending: boolean }
  change(next: Partial<Draft>): void
  discard(): void
  submit(): void
  /** Reports whether the form is valid, and shows the problems otherwise. */
  check(): boolean
  taken(assistant: Assistant): void
}

interface SettingsProps {
  readonly assistant: Assistant
  readonly draft: Draft
  readonly problems: Problems
  /** Why the service rejected them. */
  readonly refusal: ApiError | null
  change(next: Partial<Draft>): void
}

function Settings({ assistant, draft, problems, refusal, change }: SettingsProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const { language } = useLanguage()
  const fieldError = (field: TextField | 'api_key'): string | null => {
    const problem = problems[field]
    if (problem !== undefined) return texts.problems[problem]
    return refusal?.field === field ? errorMessage(refusal, language) : null
  }
  const isKindFixed = assistant.from_environment.includes('kind')
  return (
    <>
      <KindChoice
        value={draft.kind}
        locked={isKindFixed ? texts.locked(VARIABLES.kind) : null}
        onChange={(kind) => change({ kind, key: { does: 'stay' } })}
      />
      <div className={style['fields']}>
        <Fields assistant={assistant} draft={draft} fieldError={fieldError} onChange={change} />
      </div>
      {refusal !== null && (
        <Notice tone="bad" alert>
          {errorMessage(refusal, language)}
        </Notice>
      )}
    </>
  )
}

interface FootProps {
  readonly isUnsaved: boolean
  readonly isSaving: boolean
  readonly changedAt: number | null
  onDiscard(): void
  readonly children: ReactNode
}

function FormFoot({ isUnsaved, isSaving, changedAt, onDiscard, children }: FootProps): ReactNode {
  const texts = useTexts(assistantTexts)
  return (
    <div className={style['foot']}>
      <Button type="submit" kind="primary" busy={isSaving} disabled={!isUnsaved}>
        {texts.save}
      </Button>
      {isUnsaved && <Button onClick={onDiscard}>{texts.discard}</Button>}
      <span className={style['soft']} role="status">
        {isUnsaved && texts.unsaved}
        {!isUnsaved && changedAt !== null && (
          <>
            {texts.changedAt} <RelativeTime at={changedAt} />
          </>
        )}
      </span>
      <span className={style['end']}>{children}</span>
    </div>
  )
}

/** Tracks the form's problems. They show after the first attempt, and the first invalid field gets the focus. */
function useProblems(
  draft: Draft,
  form: RefObject<HTMLFormElement | null>,
): { readonly problems: Problems; found(): void; check(): boolean; reset(): void } {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (tries > 0) focusFirstInvalid(form.current)
  }, [tries, form])
  const all = findProblems(draft)
  const found = (): void => setTries((before) => before + 1)
  const check = (): boolean => {
    const isFine = Object.keys(all).length === 0
    if (!isFine) found()
    return isFine
  }
  return { problems: tries > 0 ? all : {}, found, check, reset: () => setTries(0) }
}

/** Resets the settings after confirmation. */
export function Reset({ onReset }: { onReset(assistant: Assistant): void }): ReactNode {
  const texts = useTexts(assistantTexts)
  const notifyError = useNotifyError()
  const [isOpen, setOpen] = useState(false)
  const reset = useChange('resetAssistant', 'getService')
  const confirm = (): void =>
    reset.mutate(undefined, {
      onSuccess: (assistant) => {
        onReset(assistant)
        notify(texts.resetDone)
      },
      onError: notifyError,
      onSettled: () => setOpen(false),
    })
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {texts.reset}
      </Button>
      <Confirm
        open={isOpen}
        title={texts.resetTitle}
        act={texts.reset}
        busy={reset.isPending}
        onConfirm={confirm}
        onClose={() => setOpen(false)}
      >
        {texts.resetLead}
      </Confirm>
    </>
  )
}
