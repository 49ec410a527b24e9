import type { ReactNode } from 'react'
import style from './assistant.module.css'
import type { Kind } from './draft.ts'
import { assistantTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { RadioCards } from '../../parts/radios.tsx'

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
