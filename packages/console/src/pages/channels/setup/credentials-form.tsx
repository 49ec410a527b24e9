import { type ReactNode, useRef } from 'react'
import { PAIRS } from './credential-form.ts'
import type { FollowedSetup } from './follow-setup.ts'
import { OwnServer } from './own-server.tsx'
import { SecretField } from './secret-field.tsx'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { type TypedCredentials, useCredentials, type Values } from './use-credentials.ts'
import { sentenceOf } from '../../../language/errors.ts'
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
  /** Why the set-up asks again, in the service's words. */
  readonly refusal: string | null
  readonly followed: FollowedSetup
  /** Saved without the set-up, at that time. */
  onSaved(atMs: number): void
}

/** Pasted credentials: judged while they are typed, then by the platform, then saved. */
export function CredentialsForm({ setup, refusal, ...of }: FormProps): ReactNode {
  const { platform, fields } = of
  const texts = useTexts(setupTexts)
  const form = useRef<HTMLFormElement>(null)
  const credentials = useCredentials(of)
  const { test, connect, values } = credentials
  const isBusy = connect.isPending || setup.state === 'working'
  /** Where a value is missing or wrong, the first such field is led to. */
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
      {credentials.swapped && <Swap platform={platform} values={values} onSwap={credentials.change} />}
      <OwnServer platform={platform} onChange={credentials.setExtra} />
      <WhatCameOfIt credentials={credentials} refusal={refusal} isBusy={isBusy} />
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

function WhatCameOfIt({
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
  const why = error !== null ? sentenceOf(error, language) : refusal === null ? null : texts.notTaken(refusal)
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

function Swap({
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
