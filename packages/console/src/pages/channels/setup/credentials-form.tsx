import { type ReactNode, useRef } from 'react'
import { PAIRS, type Values } from './credential-form.ts'
import type { FollowedSetup } from './follow-setup.ts'
import { ServerChoice } from './own-server.tsx'
import { SecretField } from './secret-field.tsx'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { type TypedCredentials, useCredentials } from './use-credentials.ts'
import { errorMessage } from '../../../language/errors.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Row } from '../../../parts/layout.tsx'
import type { Platform } from '../../../parts/platform.tsx'

interface FormProps {
  readonly platform: Platform
  readonly fields: Setup['fields']
  readonly setup: Setup
  /** Why the previous values were rejected, in the service's words. */
  readonly refusal: string | null
  readonly followed: FollowedSetup
  /** Called with the time of saving when the setup was bypassed. */
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
  /** Focuses the first missing or invalid field. */
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
          error={credentials.errorOf(field.name)}
          isRight={credentials.isRight(field.name)}
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
  const [first, second] = PAIRS[platform] ?? []
  if (first === undefined || second === undefined) return null
  return (
    <div>
      <Button small onClick={() => onSwap({ [first]: values[second] ?? '', [second]: values[first] ?? '' })}>
        {texts.swap}
      </Button>
    </div>
  )
}
