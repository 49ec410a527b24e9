import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import style from './board.module.css'
import { advanceTour, NO_PROGRESS, type TourProgress, STEPS } from './tour.ts'
import { demoTexts } from './texts.ts'
import { useLiveDemo, type Demo } from './live-demo.ts'
import { useSession } from '../../api/session.ts'
import { storedText } from '../../browser-storage.ts'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'

/** Stored in the tab. */
const storedTour = storedText('tab', 'gatepost-demo-tour')
const storedVisibility = storedText('tab', 'gatepost-demo-tour-look')
const HIDDEN = 'hidden'

/** The tour of the demo, with completed steps checked off. */
export function Guide({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  const { done } = useProgress(demo)
  const [isHidden, setHidden] = useState(() => storedVisibility.get() === HIDDEN)
  if (isHidden) return null
  const next = STEPS.find((step) => !done.includes(step))
  const hide = (): void => {
    storedVisibility.set(HIDDEN)
    setHidden(true)
  }
  return (
    <section className={style['guide']} aria-label={texts.guide}>
      <h2 className="visually-hidden">{texts.guide}</h2>
      <ol className={style['steps']}>
        {STEPS.map((step, index) => {
          const isDone = done.includes(step)
          return (
            <li
              key={step}
              className={style['step']}
              data-done={isDone}
              aria-current={step === next ? 'step' : undefined}
            >
              <span className={style['tick']} aria-hidden="true">
                {isDone ? <Icon name="check" size={16} /> : index + 1}
              </span>
              <div>
                <h3>
                  {texts.steps[step].title}
                  {isDone && <span className="visually-hidden"> ({texts.done})</span>}
                </h3>
                <p>{texts.steps[step].hint}</p>
              </div>
            </li>
          )
        })}
      </ol>
      <div className={style['hide']}>
        <Button kind="quiet" small icon aria-label={texts.hide} onClick={hide}>
          <Icon name="close" size={16} />
        </Button>
      </div>
      {next === undefined && <TourLinks />}
    </section>
  )
}

/** Links to the pages that show what was done in the demo. */
function TourLinks(): ReactNode {
  const texts = useTexts(demoTexts)
  const { isStaff } = useSession()
  return (
    <p className={style['links']} role="status">
      {texts.guideDone} <Link to="/conversations">{texts.links.conversations}</Link>{' '}
      <Link to="/channels">{texts.links.channels}</Link> <Link to="/analytics">{texts.links.analytics}</Link>{' '}
      <Link to="/doctor">{texts.links.doctor}</Link> {isStaff && <Link to="/logs">{texts.links.logs}</Link>}
    </p>
  )
}

function useProgress(demo: Demo): TourProgress {
  const [progress, setProgress] = useState(storedProgress)
  const live = useLiveDemo((now) => now)
  const now = advanceTour(progress, live, demo.platforms.length)
  if (now !== progress) setProgress(now)
  useEffect(() => storedTour.set(JSON.stringify(now)), [now])
  return now
}

function storedProgress(): TourProgress {
  try {
    const kept: unknown = JSON.parse(storedTour.get() ?? 'null')
    if (typeof kept !== 'object' || kept === null || !('done' in kept) || !Array.isArray(kept.done)) return NO_PROGRESS
    const { done } = kept
    const cutOn = 'cutOn' in kept && typeof kept.cutOn === 'string' ? kept.cutOn : null
    return { done: STEPS.filter((step) => done.includes(step)), cutOn }
  } catch {
    return NO_PROGRESS // not stored by this page
  }
}
