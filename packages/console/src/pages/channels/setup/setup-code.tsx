import type { ReactNode } from 'react'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { platformTexts } from '../../../parts/platform.tsx'
import { QrImage } from '../../../parts/qr.tsx'
import { Loading } from '../../../parts/states.tsx'
import { Countdown } from '../../../parts/time.tsx'

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
