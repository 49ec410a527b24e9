import { type ReactNode, useState } from 'react'
import { Drawing } from './drawings.tsx'
import { focusOnMount } from './focus-once.ts'
import { SetupEnd } from './setup-end.tsx'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { buttonClass, Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Row } from '../../../parts/layout.tsx'
import { Waiting } from '../../../parts/states.tsx'

interface InviteProps {
  readonly setup: Setup
  readonly next?: ReactNode
}

/** Waits until the bot has been added to a server. */
export function SetupInvite({ setup, next }: InviteProps): ReactNode {
  const texts = useTexts(setupTexts)
  const [later, setLater] = useState(false)
  if (later) {
    return (
      <SetupEnd platform={setup.platform} sinceMs={setup.started_at} firstUser={null} facts={setup.facts} next={next} />
    )
  }
  return (
    <div className={style['columns']}>
      <div className={style['panel']}>
        <h2 tabIndex={-1} ref={focusOnMount} className={style['quiet']}>
          {texts.inviteTitle}
        </h2>
        <p>{texts.inviteLead}</p>
        <Row>
          {setup.url !== undefined && (
            <a className={buttonClass({ kind: 'primary' })} href={setup.url} target="_blank" rel="noreferrer">
              {texts.inviteOpen} <Icon name="external" size={16} />
              <span className="visually-hidden"> ({texts.opensNew})</span>
            </a>
          )}
          <Button onClick={() => setLater(true)}>{texts.inviteLater}</Button>
        </Row>
        <Waiting role="status">{texts.inviteWaiting}</Waiting>
      </div>
      <div className={style['steps']}>
        <Drawing name="discord_invite" />
      </div>
    </div>
  )
}
