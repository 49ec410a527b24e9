import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../language/language.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { TextField } from '../../../parts/field.tsx'
import { Icon, QrImage } from '../../../parts/icon.tsx'
import { platformTexts } from '../../../parts/platform.tsx'
import { Failure, Loading } from '../../../parts/states.tsx'
import { Countdown } from '../../../parts/time.tsx'
import type { FollowedSetup, Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'

/** The QR code with the state of the scan. @param wasAsked A number was entered and is being checked. */
export function ScanCode({ setup, wasAsked }: { readonly setup: Setup; readonly wasAsked: boolean }): ReactNode {
  const texts = useTexts(setupTexts)
  const name = useTexts(platformTexts)[setup.platform]
  const isScanned = setup.state === 'scanned' || setup.state === 'working'
  return (
    <>
      <p className={style['now']} role="status">
        {currentStepText(setup, wasAsked, texts, name)}
      </p>
      {setup.codes > 1 && setup.state === 'waiting' && <Notice tone="accent">{texts.newCode}</Notice>}
      {setup.qr === undefined ? (
        isScanned && <Loading lines={2} />
      ) : (
        <div className={style['code']} data-scanned={isScanned}>
          <QrImage svg={setup.qr} label={texts.qr(name)} size={264} />
          {isScanned && (
            <span className={style['scanned']} aria-hidden="true">
              <Icon name="check" size={44} />
            </span>
          )}
        </div>
      )}
      {setup.state === 'waiting' && (
        <div className={style['under']}>
          {setup.expires_at !== null && (
            <span className="soft">
              {texts.validFor} <Countdown until={setup.expires_at} />
            </span>
          )}
          {setup.url !== undefined && (
            <a href={setup.url} target="_blank" rel="noreferrer">
              {texts.openInstead} <Icon name="external" size={14} />
              <span className="visually-hidden"> ({texts.opensNew})</span>
            </a>
          )}
        </div>
      )}
    </>
  )
}

type Words = ReturnType<typeof useTexts<(typeof setupTexts)['en']>>

function currentStepText({ platform, state, message }: Setup, wasAsked: boolean, texts: Words, name: string): string {
  switch (state) {
    case 'waiting':
      return texts.scan(name)
    case 'scanned':
      if (wasAsked) return texts.checkingNumber
      // DingTalk reports a scan only once it's confirmed
      return platform === 'dingtalk' ? texts.preparing : texts.scanned
    case 'working':
      return texts.working
    default:
      return message // from a newer service
  }
}

interface NumberProps {
  readonly setup: Setup
  readonly followed: FollowedSetup
  /** The previous number was wrong. */
  readonly isWrong: boolean
}

/** A form for the number shown on the phone. */
export function NumberForm({ setup, followed: { answer }, isWrong }: NumberProps): ReactNode {
  const texts = useTexts(setupTexts)
  const [value, setValue] = useState('')
  const number = value.replaceAll(/\s/g, '')
  const isBad = number !== '' && !/^\d{1,12}$/.test(number)
  const isBusy = answer.isPending || setup.state === 'working'
  return (
    <form
      className={style['form']}
      onSubmit={(event) => {
        event.preventDefault()
        if (number === '' || isBad || isBusy) return
        answer.mutate({ verify_code: number }, { onSuccess: () => setValue('') })
      }}
    >
      <p role="status">{isBusy ? texts.checkingNumber : texts.numberHint}</p>
      <TextField
        label={texts.number}
        value={value}
        onChange={setValue}
        inputMode="numeric"
        autoComplete="one-time-code"
        error={isBad ? texts.numberForm : isWrong && value === '' && !isBusy ? texts.numberWrong : null}
        mono
      />
      {answer.error !== null && <Failure error={answer.error} />}
      <div>
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.continue}
        </Button>
      </div>
    </form>
  )
}
