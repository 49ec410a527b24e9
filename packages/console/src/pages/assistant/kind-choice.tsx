import type { ReactNode } from 'react'
import style from './assistant.module.css'
import type { Kind } from './draft.ts'
import { assistantTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'

const KINDS = ['echo', 'openai', 'http', 'command'] as const satisfies readonly Kind[]

interface KindChoiceProps {
  readonly value: Kind
  /** Why it cannot be changed. */
  readonly locked: string | null
  onChange(kind: Kind): void
}

/** Who answers. A program is shown, and chosen by the environment alone. */
export function KindChoice({ value, locked, onChange }: KindChoiceProps): ReactNode {
  const texts = useTexts(assistantTexts)
  return (
    <fieldset className={style['kinds']}>
      <legend>{texts.who}</legend>
      {locked !== null && <p className={style['locked']}>{locked}</p>}
      {KINDS.map((kind) => {
        const isOff = value !== kind && (locked !== null || kind === 'command')
        return (
          <label key={kind} className={style['kind']} data-chosen={value === kind} data-off={isOff}>
            <input
              type="radio"
              name="kind"
              value={kind}
              checked={value === kind}
              disabled={isOff}
              onChange={() => onChange(kind)}
            />
            <strong>{texts.kinds[kind]}</strong>
            <span className={style['soft']}>{texts.kindHints[kind]}</span>
          </label>
        )
      })}
    </fieldset>
  )
}
