import { Switch as SwitchBase } from '@base-ui/react/switch'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './button.tsx'
import style from './field.module.css'
import { Icon } from './icon.tsx'

interface FieldLabels {
  readonly label: string
  /** Hides the label visually. */
  readonly hideLabel?: boolean
  /** Help text below the label. */
  readonly hint?: ReactNode
  /** Error message. */
  readonly error?: string | null | undefined
}

/** Adds a label, hint and error to a control and connects them by ID. */
function Field({
  label,
  hideLabel = false,
  hint,
  error,
  children,
}: FieldLabels & {
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

interface TextFieldProps extends FieldLabels, Omit<ComponentProps<'input'>, 'id' | 'className' | 'onChange'> {
  readonly value: string
  onChange(value: string): void
  /** Monospaced, for IDs and tokens. */
  readonly mono?: boolean
}

/** A single-line text field. Use `type="password"` for secrets. */
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

interface TextAreaProps extends FieldLabels, Omit<ComponentProps<'textarea'>, 'id' | 'className' | 'onChange'> {
  readonly value: string
  onChange(value: string): void
}

/** A multi-line text field. */
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

interface SelectProps<V extends string> extends FieldLabels {
  readonly value: V
  readonly options: readonly (readonly [value: V, label: string])[]
  onChange(value: V): void
  readonly disabled?: boolean
}

/** A native select. */
export function Select<V extends string>({
  label,
  hideLabel = false,
  hint,
  error,
  value,
  options,
  onChange,
  disabled,
}: SelectProps<V>): ReactNode {
  return (
    <Field label={label} hideLabel={hideLabel} hint={hint} error={error}>
      {(ids) => (
        <select
          {...ids}
          className={style['input']}
          value={value}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value as V)} // only its options are possible
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

/** A checkbox in a form. */
export function Checkbox({
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

/** A switch that applies immediately. */
export function Switch({
  label,
  checked,
  onChange,
  disabled = false,
}: {
  /** Accessible name. */
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

/** Focuses the first invalid field of a form. */
export const focusFirstInvalid = (form: HTMLFormElement | null): void =>
  form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
