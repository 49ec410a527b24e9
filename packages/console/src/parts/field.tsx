import { Switch as SwitchBase } from '@base-ui/react/switch'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import style from './field.module.css'
import { Icon } from './icon.tsx'

interface Described {
  readonly label: string
  /** The label is for those alone who do not see what the control is for. */
  readonly hideLabel?: boolean
  /** What belongs into it, below the label. */
  readonly hint?: ReactNode
  /** Why it was not taken. */
  readonly error?: string | null | undefined
}

/** Label, hint and error around a control, which gets the ids that tie them together. */
function Field({
  label,
  hideLabel = false,
  hint,
  error,
  children,
}: Described & {
  readonly children: (ids: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }) => ReactNode
}): ReactNode {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={style['field']}>
      <label className={hideLabel ? 'visually-hidden' : style['label']} htmlFor={id}>
        {label}
      </label>
      {hint !== undefined && (
        <div className={style['hint']} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {children({ id, ...(described && { 'aria-describedby': described }), ...(error && { 'aria-invalid': true }) })}
      {error && (
        <div className={style['error']} id={`${id}-error`}>
          <Icon name="fail" size={16} /> {error}
        </div>
      )}
    </div>
  )
}

interface TextFieldProps extends Described, Omit<ComponentProps<'input'>, 'id' | 'className' | 'onChange'> {
  readonly value: string
  onChange(value: string): void
  /** Letters of one width, for ids and tokens. */
  readonly mono?: boolean
}

/** One line of text. A secret has `type="password"`. */
export function TextField({
  label,
  hideLabel = false,
  hint,
  error,
  value,
  onChange,
  mono = false,
  ...rest
}: TextFieldProps): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(ids) => (
        <input
          autoComplete="off"
          {...rest}
          {...ids}
          className={classNames(style['input'], mono && style['mono'])}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface TextAreaProps extends Described, Omit<ComponentProps<'textarea'>, 'id' | 'className' | 'onChange'> {
  readonly value: string
  onChange(value: string): void
}

/** Several lines of text. */
export function TextArea({
  label,
  hideLabel = false,
  hint,
  error,
  value,
  onChange,
  ...rest
}: TextAreaProps): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          className={style['input']}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps<V extends string> extends Described {
  readonly value: V
  readonly options: readonly (readonly [value: V, label: string])[]
  onChange(value: V): void
  readonly disabled?: boolean
}

/** One of several, by the control of the browser. */
export function Choice<V extends string>({
  label,
  hideLabel = false,
  hint,
  error,
  value,
  options,
  onChange,
  disabled,
}: ChoiceProps<V>): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(ids) => (
        <select
          {...ids}
          className={style['input']}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value as V)} // its options are the only values
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Yes or no, in a form. */
export function CheckField({
  label,
  hint,
  checked,
  onChange,
  disabled,
}: {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly disabled?: boolean
}): ReactNode {
  return (
    <label className={style['check']}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span className={classNames(style['hint'])}> {hint}</span>}
      </span>
    </label>
  )
}

/** On or off, at once. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  /** Read to those who do not see what stands beside it. */
  readonly label: string
  readonly checked: boolean
  onChange(checked: boolean): void
  readonly disabled?: boolean
}): ReactNode {
  return (
    <SwitchBase.Root
      className={style['switch']}
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={(next) => onChange(next)}
    >
      <SwitchBase.Thumb className={style['thumb']} />
    </SwitchBase.Root>
  )
}
