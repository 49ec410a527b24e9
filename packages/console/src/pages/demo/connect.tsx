import { type ReactNode, useState } from 'react'
import style from './pane-sheets.module.css'
import { chatTexts } from './texts.ts'
import { useScan, useLiveDemo } from './live-demo.ts'
import type { Answer } from '../../api/client.ts'
import type { DemoPlatform } from '../../api/gateway-api.ts'
import { useCall, useChange } from '../../api/queries.ts'
import { errorMessage } from '../../language/errors.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { type Platform, PlatformMark, platformTexts } from '../../parts/platform.tsx'
import { QrImage } from '../../parts/icon.tsx'

type Setup = Answer<'getSetup'>

interface ConnectProps {
  readonly platform: DemoPlatform
  readonly id: Platform
  /** ID of the person who scans. */
  readonly person: string
}

/** Connects the bot with the QR code of a real setup, scanned by a click. */
export function Connect({ platform, id, person }: ConnectProps): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  if (platform.acts.length > 0) return <ConnectByCode id={id} person={person} />
  return (
    <div className={style['connect']}>
      <PlatformMark platform={id} />
      <p>{texts.disconnected(name)}</p>
      <ButtonLink to="/channels/$platform" params={{ platform: id }}>
        {texts.setUp}
      </ButtonLink>
    </div>
  )
}

/** Polling interval of a setup, which has no events. */
const EVERY_MS = 700

function ConnectByCode({ id, person }: { readonly id: Platform; readonly person: string }): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  const { language } = useLanguage()
  const [begun, setBegun] = useState<Setup | null>(null)
  const start = useChange('startSetup')
  const now = useCall(
    'getSetup',
    { params: { platform: id, id: begun?.id ?? '' } },
    { when: begun !== null, everyMs: EVERY_MS, until: ({ state }) => state === 'done' || state === 'failed' },
  )
  const setup = now.data ?? begun
  const begin = (): void =>
    start.mutate({ params: { platform: id }, body: { kind: 'qr' } }, { onSuccess: (made) => setBegun(made) })
  if (setup !== null && setup.state !== 'failed') return <PendingSetup setup={setup} id={id} person={person} />
  return (
    <div className={style['connect']}>
      <PlatformMark platform={id} />
      <p className={style['lead']}>{setup === null ? texts.connectLead(name) : failureText(setup, texts)}</p>
      {start.error !== null && <p role="alert">{errorMessage(start.error, language)}</p>}
      <Button kind="primary" busy={start.isPending} onClick={begin}>
        {setup === null ? texts.connect : texts.again}
      </Button>
    </div>
  )
}

const failureText = ({ error }: Setup, texts: { readonly cancelled: string; readonly failed: string }): string =>
  error === 'refused' ? texts.cancelled : texts.failed

/** The QR code, then the confirmation, then a wait. */
function PendingSetup({
  setup,
  id,
  person,
}: {
  readonly setup: Setup
  readonly id: Platform
  readonly person: string
}): ReactNode {
  const texts = useTexts(chatTexts)
  const name = useTexts(platformTexts)[id]
  const code = useLiveDemo((live) => live.panes[id]?.code ?? null)
  const scan = useScan(id)
  if (code === 'scanned') {
    return (
      <div className={style['connect']}>
        <div className={style['sheet']}>
          <h3>{texts.allowTitle(name)}</h3>
          <p>{texts.allowLead}</p>
          <Button
            kind="primary"
            busy={scan.isPending}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the button pressed before is gone
            autoFocus
            onClick={() => scan.mutate({ act: 'confirm', userId: person })}
          >
            {texts.allow}
          </Button>
        </div>
      </div>
    )
  }
  const canScan = setup.qr !== undefined && code === 'waiting'
  return (
    <div className={style['connect']} role="status">
      {canScan && setup.qr !== undefined ? (
        <button type="button" className={style['code']} onClick={() => scan.mutate({ act: 'scan' })}>
          <QrImage svg={setup.qr} label="" size={168} />
          <strong>{texts.scan}</strong>
          <span>{texts.scanHint}</span>
        </button>
      ) : (
        <p className={style['lead']}>{setup.qr === undefined ? texts.preparing : texts.working}</p>
      )}
    </div>
  )
}
