import { type ReactNode, useRef, useState } from 'react'
import { errorMessage } from '../../../language/errors.ts'
import { useLanguage, useTexts } from '../../../language/language.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Select, TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Row } from '../../../parts/layout.tsx'
import type { Platform } from '../../../parts/platform.tsx'
import { CREDENTIAL_PAIRS, type TypedCredentials, useCredentials, type Values } from './credentials.ts'
import type { FollowedSetup, Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'

interface FormProps {
  readonly platform: Platform
  readonly fields: Setup['fields']
  readonly setup: Setup
  /** The service's message if the previous values were rejected. */
  readonly refusal: string | null
  readonly followed: FollowedSetup
  /** Called after the credentials were saved directly, with the time at which saving began. */
  onSaved(atMs: number): void
}

/** A form for credentials: checked while typing, tested with the platform, then saved. */
export function CredentialsForm({ setup, refusal, ...of }: FormProps): ReactNode {
  const { platform, fields } = of
  const texts = useTexts(setupTexts)
  const form = useRef<HTMLFormElement>(null)
  const credentials = useCredentials(of)
  const { test, connect, values } = credentials
  const isBusy = connect.isPending || setup.state === 'working'
  /** Runs `act` if all formats are valid; otherwise focuses the first missing or invalid field. */
  const attempt = (act: (all: Values) => void): void => {
    if (isBusy || test.isPending) return
    const wrong = credentials.attempt(act)
    form.current?.querySelectorAll<HTMLInputElement>('input[data-credential]')[wrong]?.focus()
  }
  return (
    <form
      ref={form}
      className={style['form']}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        attempt((all) => connect.mutate(all))
      }}
    >
      {fields.map((field) => (
        <SecretField
          key={field.name}
          field={field}
          value={credentials.typed[field.name] ?? ''}
          error={credentials.fieldError(field.name)}
          isValid={credentials.isValid(field.name)}
          onChange={(value) => credentials.change({ [field.name]: value })}
        />
      ))}
      {credentials.swapped && <SwapButton platform={platform} values={values} onSwap={credentials.change} />}
      <ServerChoice platform={platform} onChange={credentials.setExtra} />
      <CredentialsResult credentials={credentials} refusal={refusal} isBusy={isBusy} />
      <Row>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.connect}
        </Button>
        <Button busy={test.isPending} onClick={() => attempt((all) => test.mutate(all))}>
          {texts.check}
        </Button>
      </Row>
      <p className="soft">{texts.checkHint}</p>
    </form>
  )
}

function CredentialsResult({
  credentials: { test, connect },
  refusal,
  isBusy,
}: {
  readonly credentials: TypedCredentials
  readonly refusal: string | null
  readonly isBusy: boolean
}): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  const error = connect.error ?? test.error
  const why = error !== null ? errorMessage(error, language) : refusal === null ? null : texts.notTaken(refusal)
  return (
    <>
      <div role="status">
        {test.data && <Notice tone="good">{texts.accepted(test.data.bot.name)}</Notice>}
        {isBusy && <p>{texts.working}</p>}
      </div>
      {why !== null && !isBusy && (
        <Notice tone="bad" alert>
          {why}
        </Notice>
      )}
    </>
  )
}

function SwapButton({
  platform,
  values,
  onSwap,
}: {
  readonly platform: Platform
  readonly values: Values
  onSwap(values: Values): void
}): ReactNode {
  const texts = useTexts(setupTexts)
  const [first, second] = CREDENTIAL_PAIRS[platform] ?? []
  if (first === undefined || second === undefined) return null
  return (
    <div>
      <Button small onClick={() => onSwap({ [first]: values[second] ?? '', [second]: values[first] ?? '' })}>
        {texts.swap}
      </Button>
    </div>
  )
}

interface SecretFieldProps {
  readonly field: Setup['fields'][number]
  readonly value: string
  readonly error: string | null
  readonly isValid: boolean
  onChange(value: string): void
}

/** A field of the credentials, hidden if secret, with feedback on its format. */
function SecretField({ field, value, error, isValid, onChange }: SecretFieldProps): ReactNode {
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
          {isValid && (
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

const LARK = 'https://open.larksuite.com'

interface ServerProps {
  readonly platform: Platform
  /** Called with the fields to save with the credentials. */
  onChange(fields: Readonly<Record<string, string>>): void
}

/** Selects the server, for platforms with more than one. */
function ServerChoice({ platform, onChange }: ServerProps): ReactNode {
  if (platform === 'telegram') return <BotApiServer onChange={onChange} />
  if (platform === 'feishu') return <FeishuOrLark onChange={onChange} />
  return null
}

function BotApiServer({ onChange }: Pick<ServerProps, 'onChange'>): ReactNode {
  const texts = useTexts(setupTexts)
  const [url, setUrl] = useState('')
  const isBad = url.trim() !== '' && !/^https?:\/\/./.test(url.trim()) && url.trim().length > 7
  const change = (value: string): void => {
    setUrl(value)
    onChange(value.trim() === '' ? {} : { base_url: value.trim() })
  }
  return (
    <details className={style['details']}>
      <summary>{texts.ownServer}</summary>
      <TextField
        label={texts.baseUrl}
        hint={texts.baseUrlHint}
        value={url}
        onChange={change}
        error={isBad ? texts.baseUrlWrong : null}
        type="url"
        mono
      />
    </details>
  )
}

function FeishuOrLark({ onChange }: Pick<ServerProps, 'onChange'>): ReactNode {
  const texts = useTexts(setupTexts)
  const [home, setHome] = useState<'feishu' | 'lark'>('feishu')
  return (
    <Select
      label={texts.home}
      value={home}
      options={[
        ['feishu', texts.homes.feishu],
        ['lark', texts.homes.lark],
      ]}
      onChange={(next) => {
        setHome(next)
        onChange(next === 'lark' ? { domain: LARK } : {})
      }}
    />
  )
}
