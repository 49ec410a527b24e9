import type { ReactNode } from 'react'
import type { Assistant } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextArea, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'
import { RadioCards } from '../../parts/radio-group.tsx'
import style from './assistant.module.css'
import {
  type Draft,
  keepsKey,
  type KeyChange,
  type Kind,
  listFields,
  losesKey,
  takesKey,
  type TextField as FieldName,
} from './draft.ts'
import { assistantTexts } from './texts.ts'

/** The environment variable of each field. */
export const VARIABLES: Readonly<Record<Assistant['from_environment'][number], string>> = {
  kind: 'GATEPOST_ASSISTANT',
  base_url: 'GATEPOST_ASSISTANT_BASE_URL',
  model: 'GATEPOST_ASSISTANT_MODEL',
  system_prompt: 'GATEPOST_ASSISTANT_SYSTEM_PROMPT',
  url: 'GATEPOST_ASSISTANT_URL',
  api_key: 'GATEPOST_ASSISTANT_API_KEY',
  command: 'GATEPOST_ASSISTANT_COMMAND',
}

const MAX: Readonly<Record<FieldName, number>> = { base_url: 2_000, model: 200, system_prompt: 20_000, url: 2_000 }

interface FieldsProps {
  readonly assistant: Assistant
  readonly draft: Draft
  /** Returns a field's error message. */
  fieldError(field: FieldName | 'api_key'): string | null
  onChange(change: Partial<Draft>): void
}

/** The fields of the selected kind. */
export function Fields({ assistant, draft, fieldError, onChange }: FieldsProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const lockReason = (field: FieldName | 'api_key'): string | null =>
    assistant.from_environment.includes(field) ? texts.locked(VARIABLES[field]) : null
  if (draft.kind === 'echo') return <p className={style['soft']}>{texts.echoNote}</p>
  if (draft.kind === 'command') {
    return (
      <>
        <p>{texts.program(assistant.command ?? '')}</p>
        <p className={style['locked']}>{texts.locked(VARIABLES.command)}</p>
      </>
    )
  }
  return (
    <>
      {listFields(draft.kind).map((field) => {
        const lock = lockReason(field)
        const given = {
          label: texts.fields[field],
          hint: lock ?? texts.hints[field],
          error: fieldError(field),
          value: draft[field],
          maxLength: MAX[field],
          disabled: lock !== null,
          onChange: (value: string) => onChange({ [field]: value }),
        }
        if (field === 'system_prompt') return <TextArea key={field} {...given} rows={5} />
        const isAddress = field !== 'model'
        return <TextField key={field} {...given} mono inputMode={isAddress ? 'url' : 'text'} spellCheck={false} />
      })}
      {takesKey(draft.kind) && (
        <KeyField
          assistant={assistant}
          draft={draft}
          error={fieldError('api_key')}
          locked={lockReason('api_key')}
          onChange={(key) => onChange({ key })}
        />
      )}
    </>
  )
}

interface KeyFieldProps {
  readonly assistant: Assistant
  readonly draft: Draft
  readonly error: string | null
  readonly locked: string | null
  onChange(key: KeyChange): void
}

/** Adds, replaces or removes the key, without showing it. */
function KeyField({ assistant, draft, error, locked, onChange }: KeyFieldProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const { key } = draft
  const isThere = keepsKey(assistant, draft)
  if (key.does === 'replace') {
    return (
      <div className={style['key']}>
        <TextField
          label={texts.fields.api_key}
          hint={texts.hints.api_key}
          error={error}
          type="password"
          mono
          autoComplete="new-password"
          maxLength={4_000}
          value={key.text}
          onChange={(text) => onChange({ does: 'replace', text })}
        />
        <div>
          <Button small kind="quiet" onClick={() => onChange({ does: 'stay' })}>
            {texts.keepKey}
          </Button>
        </div>
      </div>
    )
  }
  return (
    <div className={style['key']} role="group" aria-label={texts.fields.api_key}>
      <p className={style['label']}>{texts.fields.api_key}</p>
      <Row>
        <Icon name="key" />
        <span>{key.does === 'go' ? texts.keyGoes : <KeyStatus assistant={assistant} isThere={isThere} />}</span>
        {locked === null && <KeyButtons isThere={isThere} does={key.does} onChange={onChange} />}
      </Row>
      {locked !== null && <p className={style['locked']}>{locked}</p>}
      {losesKey(assistant, draft) && <Notice tone="warn">{texts.keyLost}</Notice>}
    </div>
  )
}

function KeyStatus({ assistant, isThere }: { readonly assistant: Assistant; readonly isThere: boolean }): ReactNode {
  const texts = useTexts(assistantTexts)
  return isThere ? texts.keyIs(assistant.api_key_hint ?? '****') : texts.noKey
}

interface KeyActsProps {
  readonly isThere: boolean
  readonly does: 'stay' | 'go'
  onChange(key: KeyChange): void
}

function KeyButtons({ isThere, does, onChange }: KeyActsProps): ReactNode {
  const texts = useTexts(assistantTexts)
  if (does === 'go') {
    return (
      <Button small onClick={() => onChange({ does: 'stay' })}>
        {texts.keepKey}
      </Button>
    )
  }
  return (
    <>
      <Button small onClick={() => onChange({ does: 'replace', text: '' })}>
        {isThere ? texts.replaceKey : texts.addKey}
      </Button>
      {isThere && (
        <Button small kind="danger" onClick={() => onChange({ does: 'go' })}>
          {texts.removeKey}
        </Button>
      )}
    </>
  )
}

const KINDS = ['echo', 'openai', 'http', 'command'] as const satisfies readonly Kind[]

interface KindChoiceProps {
  readonly value: Kind
  /** Why it can't be changed. */
  readonly locked: string | null
  onChange(kind: Kind): void
}

/** Selects the kind of assistant. A local program can only be selected in the environment. */
export function KindChoice({ value, locked, onChange }: KindChoiceProps): ReactNode {
  const texts = useTexts(assistantTexts)
  return (
    <>
      <RadioCards
        label={texts.who}
        value={value}
        options={KINDS.map((kind) => ({
          value: kind,
          title: texts.kinds[kind],
          hint: texts.kindHints[kind],
          disabled: value !== kind && (locked !== null || kind === 'command'),
        }))}
        onChange={onChange}
      />
      {locked !== null && <p className={style['locked']}>{locked}</p>}
    </>
  )
}
