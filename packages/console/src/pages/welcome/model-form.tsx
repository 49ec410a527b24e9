import { type ReactNode, useRef, useState } from 'react'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'
import type { Answer } from '../../api/call.ts'
import { useChange } from '../../api/queries.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Row } from '../../parts/layout.tsx'
import { Failure } from '../../parts/states.tsx'

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
export function ModelForm({ assistant, onDone }: ModelFormProps): ReactNode {
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
