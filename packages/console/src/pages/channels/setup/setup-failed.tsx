import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { focusOnce } from './focus-once.ts'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { sentenceOf, sentenceOfCode } from '../../../language/errors.ts'
import { useLanguage } from '../../../language/language.ts'
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
  const code = setup?.error ?? null
  const isOld = code === 'expired' && setup?.kind === 'qr'
  const why =
    setup === undefined
      ? sentenceOf(error, language)
      : isOld
        ? texts.codeExpired
        : code === 'cancelled'
          ? texts.cancelled
          : sentenceOfCode(code === 'internal' ? 'internal_error' : (code ?? ''), setup.message, language)
  return (
    <>
      <h2 tabIndex={-1} ref={focusOnce} className={style['quiet']}>
        {isOld ? texts.codeExpired : texts.failedTitle}
      </h2>
      {!isOld && (
        <Notice tone="bad" alert>
          <p>{why}</p>
          <p className={style['soft']}>{texts.otherWay}</p>
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
