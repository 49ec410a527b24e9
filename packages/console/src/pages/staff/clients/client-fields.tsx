import type { ReactNode } from 'react'
import { type ClientValues, GRANTS, mayUse } from './client-values.ts'
import { clientTexts } from './texts.ts'
import type { FieldErrors } from '../form-errors.ts'
import style from '../staff.module.css'
import { useTexts } from '../../../language/texts.ts'
import { Checkbox, Select, TextArea, TextField } from '../../../parts/field.tsx'

interface ClientFieldsProps {
  readonly values: ClientValues
  readonly errors: FieldErrors
  /** The scopes that can be allowed. */
  readonly scopes: readonly string[]
  onChange(values: ClientValues): void
}

/** The fields of a client. */
export function ClientFields(props: ClientFieldsProps): ReactNode {
  const { values, errors, onChange } = props
  const texts = useTexts(clientTexts)
  return (
    <>
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={errors['name']}
        required
        maxLength={100}
        value={values.name}
        onChange={(name) => onChange({ ...values, name })}
      />
      <Select
        label={texts.type}
        hint={texts.typeHint}
        value={values.type}
        options={[
          ['confidential', texts.types.confidential],
          ['public', texts.types.public],
        ]}
        onChange={(type) => onChange({ ...values, type })}
      />
      <Grants {...props} />
      {values.grants.includes('authorization_code') && (
        <TextArea
          label={texts.redirects}
          hint={texts.redirectsHint}
          error={errors['redirect_uris']}
          spellCheck={false}
          value={values.redirects}
          onChange={(redirects) => onChange({ ...values, redirects })}
        />
      )}
      <Scopes {...props} />
      <More {...props} />
    </>
  )
}

/** Returns a list with a value added or removed. */
const toggle = <V,>(list: readonly V[], value: V, isIn: boolean): readonly V[] =>
  isIn ? [...list, value] : list.filter((one) => one !== value)

function Grants({ values, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  return (
    <fieldset className={style['checks']}>
      <legend>{texts.grantsTitle}</legend>
      {GRANTS.filter((grant) => mayUse(values.type, grant)).map((grant) => (
        <Checkbox
          key={grant}
          label={texts.grants[grant]}
          checked={values.grants.includes(grant)}
          onChange={(isIn) => onChange({ ...values, grants: toggle(values.grants, grant, isIn) })}
        />
      ))}
    </fieldset>
  )
}

function Scopes({ values, scopes, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  const words: Readonly<Record<string, string | undefined>> = texts.scopes
  return (
    <fieldset className={style['checks']}>
      <legend>{texts.scopesTitle}</legend>
      {[...new Set([...scopes, ...values.scopes])].map((scope) => (
        <Checkbox
          key={scope}
          label={
            <>
              {words[scope]} <code className={style['soft']}>{scope}</code>
            </>
          }
          checked={values.scopes.includes(scope)}
          onChange={(isIn) => onChange({ ...values, scopes: toggle(values.scopes, scope, isIn) })}
        />
      ))}
    </fieldset>
  )
}

function More({ values, errors, onChange }: ClientFieldsProps): ReactNode {
  const texts = useTexts(clientTexts)
  const isWrong = errors['post_logout_redirect_uris'] !== undefined || errors['cors_origins'] !== undefined
  return (
    <details className={style['more']} {...(isWrong && { open: true })}>
      <summary>{texts.more}</summary>
      <div>
        <TextArea
          label={texts.logout}
          hint={texts.lines}
          error={errors['post_logout_redirect_uris']}
          value={values.logout}
          onChange={(logout) => onChange({ ...values, logout })}
        />
        <TextArea
          label={texts.cors}
          hint={texts.corsHint}
          error={errors['cors_origins']}
          value={values.cors}
          onChange={(cors) => onChange({ ...values, cors })}
        />
        <Checkbox
          label={texts.skip}
          hint={texts.skipHint}
          checked={values.skip}
          onChange={(skip) => onChange({ ...values, skip })}
        />
        <Checkbox
          label={texts.wildcards}
          hint={texts.wildcardsHint}
          checked={values.wildcards}
          onChange={(wildcards) => onChange({ ...values, wildcards })}
        />
      </div>
    </details>
  )
}
