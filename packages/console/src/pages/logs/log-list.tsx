import { Fragment, type ReactNode, type RefObject, useLayoutEffect, useRef } from 'react'
import { LineRow, useLineTime } from './line-row.tsx'
import style from './logs.module.css'
import { logTexts } from './texts.ts'
import type { LogView } from './use-log.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'

/** Distance from the end that still counts as the end: the height of a line. */
const NEAR_PX = 30

/** Reports whether a box is scrolled to its end. */
export const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < NEAR_PX

interface LogListProps {
  readonly log: LogView
  readonly box: RefObject<HTMLDivElement | null>
  onScroll(): void
  onCatchUp(): void
}

/** The log lines, the newest at the bottom. */
export function LogList({ log, box, onScroll, onCatchUp }: LogListProps): ReactNode {
  const texts = useTexts(logTexts)
  const format = useFormat()
  const timeOf = useLineTime()
  useScrollAnchor(box, log.lines)
  return (
    <div className={style['frame']}>
      <div
        ref={box}
        className={style['box']}
        role="log"
        aria-live="off"
        aria-label={texts.lines}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
        tabIndex={0}
        onScroll={onScroll}
      >
        <Older log={log} />
        {log.lines.map((line, at) => {
          const day = format.day(line.time)
          const before = log.lines[at - 1]
          return (
            <Fragment key={line.id}>
              {(before === undefined || format.day(before.time) !== day) && <p className={style['day']}>{day}</p>}
              <LineRow line={line} timeOf={timeOf} />
            </Fragment>
          )
        })}
      </div>
      {log.waiting.length > 0 && (
        <div className={style['waiting']}>
          <Button kind="primary" small onClick={onCatchUp}>
            <Icon name="down" size={16} /> {texts.newLines(log.waiting.length)}
          </Button>
        </div>
      )}
    </div>
  )
}

function Older({ log }: { readonly log: LogView }): ReactNode {
  const texts = useTexts(logTexts)
  if (!log.hasOlder) return <p className={style['edge']}>{texts.start}</p>
  if (log.isFull) return <p className={style['edge']}>{texts.full}</p>
  return (
    <p className={style['edge']}>
      <Button small busy={log.isLoadingOlder} onClick={log.showOlder}>
        {texts.older}
      </Button>
    </p>
  )
}

/** Keeps the end in view, or the scroll position when older lines are added above. */
function useScrollAnchor(box: RefObject<HTMLDivElement | null>, lines: LogView['lines']): void {
  const before = useRef<{ readonly firstId: string | undefined; readonly height: number; readonly wasAtEnd: boolean }>(
    null,
  )
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const last = before.current
    if (last === null || last.wasAtEnd) element.scrollTo({ top: element.scrollHeight })
    else if (last.firstId !== lines[0]?.id) element.scrollBy({ top: element.scrollHeight - last.height })
    const note = (): void => {
      before.current = { firstId: lines[0]?.id, height: element.scrollHeight, wasAtEnd: isAtEnd(element) }
    }
    note()
    element.addEventListener('scroll', note)
    return () => element.removeEventListener('scroll', note)
  }, [box, lines])
}
