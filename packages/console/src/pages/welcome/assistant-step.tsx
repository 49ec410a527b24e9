import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Row } from '../../parts/layout.tsx'
import { RadioCards } from '../../parts/radio-group.tsx'
import { Failure, Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'

/** Describes the current assistant. */
export function AssistantSummary(): ReactNode {
  const texts = useTexts(welcomeTexts)
  const { isStaff, service } = useSession()
  const { data } = useCall('getAssistant', {}, { when: isStaff })
  const kind = data?.kind ?? service.assistant.kind
  if (!isStaff) return texts.assistantStaff
  if (kind === 'echo') return texts.assistantEcho
  if (kind === 'openai') return texts.assistantOther(data?.model ?? texts.openai)
  return texts.assistantOther(kind === 'http' ? texts.service : texts.program)
}

/** The step to keep Echo or set up a model. */
export function AssistantStep({ onDone }: { onDone(): void }): ReactNode {
  const { isStaff } = useSession()
  const assistant = useCall('getAssistant', {}, { when: isStaff })
  if (!isStaff) return <AssistantSummary />
  return <Loaded query={assistant}>{(data) => <AssistantChoice assistant={data} onDone={onDone} />}</Loaded>
}

function AssistantChoice({
  assistant,
  onDone,
}: {
  readonly assistant: Answer<'getAssistant'>
  onDone(): void
}): ReactNode {
  const texts = useTexts(welcomeTexts)
  const [kind, setKind] = useState<'echo' | 'openai'>(assistant.kind === 'openai' ? 'openai' : 'echo')
  const change = useChange('changeAssistant', 'getAssistant', 'getService')
  const done = (): void => {
    notify(texts.saved)
    onDone()
  }
  if (assistant.from_environment.includes('kind')) {
    return (
      <>
        <p>{texts.assistantFixed}</p>
        <SettingsLink />
      </>
    )
  }
  return (
    <>
      <p>{texts.assistantLead}</p>
      <KindChoice kind={kind} onChange={setKind} />
      {kind === 'echo' ? (
        <>
          {change.error !== null && <Failure error={change.error} />}
          <div>
            <Button
              kind="primary"
              busy={change.isPending}
              onClick={() => change.mutate({ body: { kind: 'echo' } }, { onSuccess: done })}
            >
              {texts.save}
            </Button>
          </div>
        </>
      ) : (
        <ModelForm assistant={assistant} onDone={done} />
      )}
      <SettingsLink />
    </>
  )
}

function KindChoice({
  kind,
  onChange,
}: {
  readonly kind: 'echo' | 'openai'
  onChange(kind: 'echo' | 'openai'): void
}): ReactNode {
  const texts = useTexts(welcomeTexts)
  return (
    <RadioCards
      label={texts.assistant}
      hideLabel
      value={kind}
      options={[
        { value: 'echo', title: texts.echo, hint: texts.echoLead },
        { value: 'openai', title: texts.openai, hint: texts.openaiLead },
      ]}
      onChange={onChange}
    />
  )
}

const SettingsLink = (): ReactNode => (
  <p>
    <Link to="/assistant">{useTexts(welcomeTexts).changeLater}</Link>
  </p>
)

interface ModelFormProps {
  readonly assistant: Answer<'getAssistant'>
  onDone(): void
}

/** State of the model form. */
function useModelForm(assistant: Answer<'getAssistant'>) {
  const texts = useTexts(welcomeTexts)
  const [baseUrl, setBaseUrl] = useState(assistant.base_url ?? '')
  const [model, setModel] = useState(assistant.model ?? '')
  const [key, setKey] = useState('')
  const [isTried, setTried] = useState(false)
  const attempt = useChange('tryAssistant')
  const change = useChange('changeAssistant', 'getAssistant', 'getService')
  const fixed = assistant.from_environment
  const settings = {
    kind: 'openai',
    ...(!fixed.includes('base_url') && { base_url: baseUrl.trim() }),
    ...(!fixed.includes('model') && { model: model.trim() }),
    ...(key.trim() !== '' && { api_key: key.trim() }),
  } as const
  const missing = (value: string): string | null => (isTried && value.trim() === '' ? texts.missing : null)
  /** @returns the index of the first empty field, or -1 */
  const whenComplete = (act: () => void): number => {
    setTried(true)
    attempt.reset()
    const place = [baseUrl, model].findIndex((value) => value.trim() === '')
    if (place === -1) act()
    return place
  }
  const isBusy = attempt.isPending || change.isPending
  const error = attempt.error ?? change.error
  return {
    baseUrl,
    setBaseUrl,
    model,
    setModel,
    key,
    setKey,
    settings,
    missing,
    whenComplete,
    isBusy,
    error,
    attempt,
    change,
  }
}

/** A form for an OpenAI-compatible service, with a test before saving. */
function ModelForm({ assistant, onDone }: ModelFormProps): ReactNode {
  const texts = useTexts(welcomeTexts)
  const form = useRef<HTMLFormElement>(null)
  const typed = useModelForm(assistant)
  const { attempt, change, settings } = typed
  /** Focuses the first empty field. */
  const whenComplete = (act: () => void): void => {
    if (!typed.isBusy) form.current?.querySelectorAll('input')[typed.whenComplete(act)]?.focus()
  }
  return (
    <form
      ref={form}
      noValidate
      className={style['form']}
      onSubmit={(event) => {
        event.preventDefault()
        whenComplete(() => change.mutate({ body: settings }, { onSuccess: onDone }))
      }}
    >
      <ModelFields typed={typed} assistant={assistant} />
      <div role="status">{attempt.data && <TrialResult answer={attempt.data} />}</div>
      {typed.error !== null && <Failure error={typed.error} />}
      <Row>
        <Button kind="primary" type="submit" busy={change.isPending}>
          {texts.save}
        </Button>
        <Button
          busy={attempt.isPending}
          onClick={() => whenComplete(() => attempt.mutate({ body: { message: texts.trySays, settings } }))}
        >
          {texts.tryIt}
        </Button>
      </Row>
    </form>
  )
}

interface FieldsProps {
  readonly typed: ReturnType<typeof useModelForm>
  readonly assistant: Answer<'getAssistant'>
}

function ModelFields({ typed, assistant }: FieldsProps): ReactNode {
  const texts = useTexts(welcomeTexts)
  const fixed = assistant.from_environment
  return (
    <>
      <TextField
        label={texts.baseUrl}
        hint={texts.baseUrlHint}
        value={typed.baseUrl}
        onChange={typed.setBaseUrl}
        error={typed.missing(typed.baseUrl)}
        disabled={fixed.includes('base_url')}
        type="url"
        mono
      />
      <TextField
        label={texts.model}
        value={typed.model}
        onChange={typed.setModel}
        error={typed.missing(typed.model)}
        disabled={fixed.includes('model')}
        mono
      />
      <TextField
        label={texts.key}
        hint={assistant.api_key_hint === null ? texts.keyHint : texts.keyKept(assistant.api_key_hint)}
        value={typed.key}
        onChange={typed.setKey}
        disabled={fixed.includes('api_key')}
        type="password"
        autoComplete="new-password"
        mono
      />
    </>
  )
}

function TrialResult({ answer: { text, took_ms: took } }: { readonly answer: Answer<'tryAssistant'> }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const format = useFormat()
  return (
    <Notice tone="good">
      <p>{texts.tried(format.span(took))}</p>
      <p className={style['tried']}>{text}</p>
    </Notice>
  )
}
