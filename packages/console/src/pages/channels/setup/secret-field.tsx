import { type ReactNode, useState } from 'react'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'

interface SecretFieldProps {
  readonly field: Setup['fields'][number]
  readonly value: string
  readonly error: string | null
  readonly isRight: boolean
  onChange(value: string): void
}

/** A field of the credentials, hidden if secret, with feedback on its format. */
export function SecretField({ field, value, error, isRight, onChange }: SecretFieldProps): ReactNode {
  const texts = useTexts(setupTexts)
  const [shown, setShown] = useState(false)
  const names: Readonly<Record<string, string | undefined>> = texts.fields
  const label = names[field.name] ?? field.label
  return (
    <div className={style['secret']}>
      <TextField
        label={label}
        value={value}
        onChange={onChange}
        error={error}
        type={field.secret && !shown ? 'password' : 'text'}
        autoComplete={field.secret ? 'new-password' : 'off'}
        spellCheck={false}
        data-credential=""
        mono
      />
      <div className={style['under']}>
        <span role="status" className={style['right']}>
          {isRight && (
            <>
              <Icon name="check" size={14} /> {texts.looksRight}
            </>
          )}
        </span>
        {field.secret && value !== '' && (
          <Button
            kind="quiet"
            small
            aria-label={`${shown ? texts.hide : texts.show}: ${label}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? texts.hide : texts.show}
          </Button>
        )}
      </div>
    </div>
  )
}
