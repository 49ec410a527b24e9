import { type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import style from './radios.module.css'

/** One of several that need a word of explanation. */
export interface RadioCard<V extends string> {
  readonly value: V
  readonly title: ReactNode
  readonly hint?: ReactNode
  readonly disabled?: boolean
}

/** One of a few that are explained, each in a box of its own. */
export function RadioCards<V extends string>({
  label,
  hideLabel = false,
  value,
  options,
  onChange,
}: {
  readonly label: string
  /** The label is for those alone who do not see what stands above. */
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

/** One of a few short words, beside one another. */
export function Segments<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  /** Read to those who do not see what stands around. */
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
