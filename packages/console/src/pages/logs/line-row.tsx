import { memo, type ReactNode, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { flattenFields, previewFields } from './log-fields.ts'
import style from './logs.module.css'
import { logTexts } from './texts.ts'
import type { LogLine } from '../../api/gateway-api.ts'
import { machineTime, useFormat, formatTime } from '../../language/format.ts'
import { LANGUAGE_TAGS, useLanguage } from '../../language/language.ts'
import { useTexts } from '../../language/texts.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { Facts } from '../../parts/layout.tsx'

/** Returns a function that formats the time of a line to the millisecond. */
export function useLineTime(): (ms: number) => string {
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
export const LineRow = memo(function LineRow({
  line,
  timeOf,
}: {
  readonly line: LogLine
  timeOf(ms: number): string
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
        <time dateTime={machineTime(line.time)}>{timeOf(line.time)}</time>
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
