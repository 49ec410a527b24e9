import type { ReactNode } from 'react'
import style from './assistant.module.css'
import { type Draft, listFields, takesKey, type TextField as FieldName } from './draft.ts'
import { KeyField } from './key-field.tsx'
import { assistantTexts } from './texts.ts'
import type { Assistant } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { TextArea, TextField } from '../../parts/field.tsx'

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
  errorOf(field: FieldName | 'api_key'): string | null
  onChange(change: Partial<Draft>): void
}

/** The fields of the selected kind. */
export function Fields({ assistant, draft, errorOf, onChange }: FieldsProps): ReactNode {
  const texts = useTexts(assistantTexts)
  const lockOf = (field: FieldName | 'api_key'): string | null =>
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
        const lock = lockOf(field)
        const given = {
          label: texts.fields[field],
          hint: lock ?? texts.hints[field],
          error: errorOf(field),
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
          error={errorOf('api_key')}
          locked={lockOf('api_key')}
          onChange={(key) => onChange({ key })}
        />
      )}
    </>
  )
}
