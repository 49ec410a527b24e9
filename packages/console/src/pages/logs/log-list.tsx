import { Fragment, memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { LogLine } from '../../api/gateway-api.ts'
import { formatTime, machineTime, useFormat } from '../../language/format.ts'
import { LANGUAGE_TAGS, useLanguage, useTexts } from '../../language/language.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Facts } from '../../parts/layout.tsx'
import { flattenFields, previewFields } from './log-lines.ts'
import style from './logs.module.css'
import { logTexts } from './texts.ts'
import type { LogView } from './use-log.ts'

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
  const formatLineTime = useLineTime()
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
              <LineRow line={line} formatLineTime={formatLineTime} />
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

/** Returns a function that formats the time of a line to the millisecond. */
function useLineTime(): (ms: number) => string {
  const { language } = useLanguage()
  return useMemo(() => {
    const format = new Intl.DateTimeFormat(LANGUAGE_TAGS[language], {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      hourCycle: 'h23',
    })
    return (ms: number) => formatTime(format, ms)
  }, [language])
}

/** A log line that expands to show all its fields. */
const LineRow = memo(function LineRow({
  line,
  formatLineTime,
}: {
  readonly line: LogLine
  formatLineTime(ms: number): string
}): ReactNode {
  const texts = useTexts(logTexts)
  const [open, setOpen] = useState(false)
  const fields = flattenFields(line.fields)
  return (
    <details
      className={style['line']}
      data-level={line.level}
      onToggle={({ currentTarget }) => {
        // synchronously, so that it can be scrolled into view
        flushSync(() => setOpen(currentTarget.open))
        if (currentTarget.open) currentTarget.scrollIntoView({ block: 'nearest' })
      }}
    >
      <summary>
        <time dateTime={machineTime(line.time)}>{formatLineTime(line.time)}</time>
        <span className={style['level']}>{texts.levelNames[line.level] ?? line.level}</span>
        <span className={style['message']}>
          {line.message} <span className={style['preview']}>{previewFields(fields)}</span>
        </span>
      </summary>
      {open && <LineDetails line={line} />}
    </details>
  )
})

function LineDetails({ line }: { readonly line: LogLine }): ReactNode {
  const texts = useTexts(logTexts)
  const format = useFormat()
  const fields = flattenFields(line.fields)
  return (
    <div className={style['details']}>
      <Facts
        facts={[
          [texts.time, format.exact(line.time)],
          ...fields.map(([name, text]) => [name, <FieldText key={name} text={text} />] as const),
        ]}
      />
      {fields.length === 0 && <p>{texts.noFields}</p>}
      <div>
        <CopyButton text={JSON.stringify(line, null, 2)} label={texts.copyLine} />
      </div>
    </div>
  )
}

const FieldText = ({ text }: { readonly text: string }): ReactNode =>
  text.includes('\n') ? <pre className={style['block']}>{text}</pre> : <code>{text}</code>
