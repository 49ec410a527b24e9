import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { focusOnce } from './focus-once.ts'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { sentenceOf, sentenceOfCode } from '../../../language/errors.ts'
import { type Language, useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'

interface FailedProps {
  readonly setup?: Setup
  /** Why there is no set-up at all. */
  readonly error?: unknown
  onAgain(): void
}

/** A set-up that ended without credentials: why, and another go. */
export function SetupFailed({ setup, error, onAgain }: FailedProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  const isOld = setup?.error === 'expired' && setup.kind === 'qr'
  return (
    <>
      <h2 tabIndex={-1} ref={focusOnce} className={style['quiet']}>
        {isOld ? texts.codeExpired : texts.failedTitle}
      </h2>
      {!isOld && (
        <Notice tone="bad" alert>
          <p>{setup === undefined ? sentenceOf(error, language) : whyOf(setup, texts, language)}</p>
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

/** Why a set-up ended, in the language of the page. */
function whyOf(
  { kind, error, message }: Setup,
  texts: ReturnType<typeof useTexts<(typeof setupTexts)['en']>>,
  language: Language,
): string {
  if (error === 'cancelled') return texts.cancelled
  if (error === 'expired' && kind !== 'qr') return kind === 'invite' ? texts.notInvited : texts.waitedTooLong
  return sentenceOfCode(error === 'internal' ? 'internal_error' : (error ?? ''), message, language)
}
