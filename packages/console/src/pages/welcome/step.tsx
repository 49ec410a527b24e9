import { type ReactNode, useId } from 'react'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'
import { useTexts } from '../../language/texts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'

/** State of a step. */
export type StepState = 'done' | 'open' | 'skipped'

interface StepProps {
  readonly number: number
  readonly title: string
  readonly state: StepState
  readonly isOpen?: boolean
  /** Shown while the step is closed. */
  readonly summary?: ReactNode
  /** Label of the button that opens it. */
  readonly openLabel?: string
  readonly onOpen?: () => void
  readonly onSkip?: (() => void) | undefined
  readonly children?: ReactNode
}

/** A step of the first run. */
export function Step(props: StepProps): ReactNode {
  const { number, title, state, isOpen = false, summary, openLabel, onOpen, onSkip, children } = props
  const texts = useTexts(welcomeTexts)
  const id = useId()
  return (
    <li className={style['step']} data-state={state} aria-labelledby={id} aria-current={isOpen ? 'step' : undefined}>
      <span className={style['number']} aria-hidden="true">
        {state === 'done' ? <Icon name="check" size={18} /> : number}
      </span>
      <div className={style['body']}>
        <div className={style['head']}>
          <h2 id={id}>{title}</h2>
          {state === 'done' && <Badge tone="good">{texts.done}</Badge>}
          {state === 'skipped' && <Badge>{texts.skipped}</Badge>}
          {!isOpen && onOpen && (
            <Button small onClick={onOpen}>
              {openLabel}
            </Button>
          )}
        </div>
        {!isOpen && summary !== undefined && <div className={style['summary']}>{summary}</div>}
        {isOpen && children}
        {isOpen && onSkip && (
          <div>
            <Button kind="quiet" small onClick={onSkip}>
              {texts.skip}
            </Button>
          </div>
        )}
      </div>
    </li>
  )
}
