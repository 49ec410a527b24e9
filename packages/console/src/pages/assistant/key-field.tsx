import type { ReactNode } from 'react'
import style from './assistant.module.css'
import { type Draft, keepsKey, type KeyChange, losesKey } from './draft.ts'
import { assistantTexts } from './texts.ts'
import type { Assistant } from '../../api/gateway-api.ts'
import { useTexts } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Row } from '../../parts/layout.tsx'

interface KeyFieldProps {
  readonly assistant: Assistant
  readonly draft: Draft
  readonly error: string | null
  readonly locked: string | null
  onChange(key: KeyChange): void
}

/** Adds, replaces or removes the key, without showing it. */
export function KeyField({ assistant, draft, error, locked, onChange }: KeyFieldProps): ReactNode {
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
