import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { focusOnMount } from './focus-once.ts'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { errorMessage, errorCodeMessage } from '../../../language/errors.ts'
import { type Language, useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'

interface FailedProps {
  readonly setup?: Setup
  /** Why the setup couldn't start. */
  readonly error?: unknown
  onAgain(): void
}

/** The end of a failed setup, with its reason. */
export function SetupFailed({ setup, error, onAgain }: FailedProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  const isOld = setup?.error === 'expired' && setup.kind === 'qr'
  return (
    <>
      <h2 tabIndex={-1} ref={focusOnMount} className={style['quiet']}>
        {isOld ? texts.codeExpired : texts.failedTitle}
      </h2>
      {!isOld && (
        <Notice tone="bad" alert>
          <p>{setup === undefined ? errorMessage(error, language) : failureMessage(setup, texts, language)}</p>
          <p className="soft">{texts.otherWay}</p>
        </Notice>
      )}
      {setup?.saved === true && (
        <p>
          <Link to="/channels/$platform" params={{ platform: setup.platform }}>
            {texts.savedAnyway}
          </Link>
        </p>
      )}
      <div>
        <Button kind="primary" onClick={onAgain}>
          <Icon name="refresh" /> {isOld ? texts.getNewCode : texts.startAgain}
        </Button>
      </div>
    </>
  )
}

/** Returns why a setup ended, in the page's language. */
function failureMessage(
  { kind, error, message }: Setup,
  texts: ReturnType<typeof useTexts<(typeof setupTexts)['en']>>,
  language: Language,
): string {
  if (error === 'cancelled') return texts.cancelled
  if (error === 'expired' && kind !== 'qr') return kind === 'invite' ? texts.notInvited : texts.waitedTooLong
  return errorCodeMessage(error === 'internal' ? 'internal_error' : (error ?? ''), message, language)
}
