import { type ReactNode, useId } from 'react'
import { classNames } from './button.tsx'
import style from './radio-group.module.css'

/** An option with an explanation. */
export interface RadioCard<V extends string> {
  readonly value: V
  readonly title: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

/** Radio buttons as cards with explanations. */
export function RadioCards<V extends string>({
  label,
  hideLabel = false,
  value,
  options,
  onChange,
}: {
  readonly label: string
  /** Hides the label visually. */
  readonly hideLabel?: boolean
  readonly value: V
  readonly options: readonly RadioCard<V>[]
  onChange(value: V): void
}): ReactNode {
  const name = useId()
  return (
    <fieldset className={style['cards']}>
      <legend className={classNames(hideLabel && 'visually-hidden')}>{label}</legend>
      {options.map(({ value: one, title, hint, disabled }) => (
        <label key={one} className={style['card']}>
          <input
            type="radio"
            name={name}
            value={one}
            checked={one === value}
            disabled={disabled}
            onChange={() => onChange(one)}
          />
          <strong>{title}</strong>
          {hint !== undefined && <span className={style['hint']}>{hint}</span>}
        </label>
      ))}
    </fieldset>
  )
}

/** Radio buttons as segments in a row. */
export function Segments<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  /** Accessible name. */
  readonly label: string
  readonly value: V
  readonly options: readonly (readonly [value: V, label: ReactNode])[]
  onChange(value: V): void
}): ReactNode {
  const name = useId()
  return (
    <fieldset className={style['segments']}>
      <legend className="visually-hidden">{label}</legend>
      {options.map(([one, words]) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChange(one)} />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
