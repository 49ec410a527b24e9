import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { StaffOnly } from '../../frame/status-pages.tsx'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Select, Switch, TextField } from '../../parts/field.tsx'
import { Page as Sheet, Row } from '../../parts/layout.tsx'
import { useSearchState } from '../../parts/search-state.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { LEVELS, type LogFilters, MAX_TEXT, parseFilters, toSearch } from './log-filters.ts'
import { isAtEnd, LogList } from './log-list.tsx'
import style from './logs.module.css'
import { logTexts } from './texts.ts'
import { type LiveState, type LogView, useLog } from './use-log.ts'

/** The page of the service's log. */
export const Page = (): ReactNode => (
  <StaffOnly>
    <Logs />
  </StaffOnly>
)

function Logs(): ReactNode {
  const texts = useTexts(logTexts)
  const [filters, change] = useSearchState('/logs', parseFilters, toSearch)
  const [follow, setFollow] = useState(true)
  const [isPaused, setPaused] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const log = useLog(filters, follow, () => box.current !== null && !isAtEnd(box.current))
  const scrolled = (): void => {
    const isReading = box.current !== null && !isAtEnd(box.current)
    setPaused(isReading)
    if (!isReading) log.catchUp()
  }
  const toEnd = (): void => {
    box.current?.scrollTo({ top: box.current.scrollHeight })
    box.current?.focus()
    log.catchUp()
  }
  const actions = (
    <>
      <LiveBadge state={log.live} isPaused={isPaused} />
      <span aria-hidden="true">{texts.follow}</span>
      <Switch label={texts.follow} checked={follow} onChange={setFollow} />
    </>
  )
  return (
    <Sheet title={texts.title} lead={texts.lead} actions={actions} wide>
      <LogToolbar filters={filters} days={log.days} onChange={change} />
      {log.state === 'failed' && <Failure error={log.error} onRetry={log.retry} />}
      {log.state === 'loading' && log.lines.length === 0 && <Loading lines={8} />}
      {log.state === 'ready' && log.lines.length === 0 && (
        <NoLines
          log={log}
          isFiltered={Object.keys(toSearch(filters)).length > 0}
          onClear={() => change(parseFilters({}))}
        />
      )}
      {log.lines.length > 0 && <LogList log={log} box={box} onScroll={scrolled} onCatchUp={toEnd} />}
    </Sheet>
  )
}

interface NoLinesProps {
  readonly log: LogView
  readonly isFiltered: boolean
  onClear(): void
}

/** Shown when no line matches so far. */
function NoLines({ log, isFiltered, onClear }: NoLinesProps): ReactNode {
  const texts = useTexts(logTexts)
  const buttons = (
    <Row>
      {isFiltered && <Button onClick={onClear}>{texts.clear}</Button>}
      {log.hasOlder && (
        <Button busy={log.isLoadingOlder} onClick={log.showOlder}>
          {texts.furtherBack}
        </Button>
      )}
    </Row>
  )
  return (
    <div role="status">
      <Empty icon="logs" title={isFiltered ? texts.emptyTitle : texts.noneTitle} actions={buttons}>
        {isFiltered ? texts.empty : texts.none}
      </Empty>
    </div>
  )
}

/** Whether new lines are followed. */
function LiveBadge({ state, isPaused }: { readonly state: LiveState; readonly isPaused: boolean }): ReactNode {
  const texts = useTexts(logTexts)
  if (state === 'off') return <Badge>{texts.off}</Badge>
  if (state === 'connecting') return <Badge tone="warn">{texts.connecting}</Badge>
  if (isPaused) return <Badge tone="accent">{texts.paused}</Badge>
  return (
    <Badge tone="good" dot>
      {texts.live}
    </Badge>
  )
}

/** Pause in typing before the search starts. */
const TYPING_MS = 300

interface ToolbarProps {
  readonly filters: LogFilters
  readonly days: readonly string[]
  onChange(filters: LogFilters): void
}

/** The filters of the log. */
export function LogToolbar({ filters, days, onChange }: ToolbarProps): ReactNode {
  const texts = useTexts(logTexts)
  const known = filters.day === '' || days.includes(filters.day) ? days : [filters.day, ...days]
  return (
    <div className={style['toolbar']} role="search" aria-label={texts.filters}>
      <SearchField text={filters.text} onChange={(text) => onChange({ ...filters, text })} />
      <Select
        label={texts.level}
        value={filters.level}
        options={LEVELS.map((level) => [level, texts.levels[level]] as const)}
        onChange={(level) => onChange({ ...filters, level })}
      />
      <Select
        label={texts.day}
        value={filters.day}
        options={[['', texts.allDays], ...known.map((day) => [day, day] as const)]}
        onChange={(day) => onChange({ ...filters, day })}
      />
    </div>
  )
}

function SearchField({ text, onChange }: { readonly text: string; onChange(text: string): void }): ReactNode {
  const texts = useTexts(logTexts)
  const [typed, setTyped] = useState(text)
  const [asked, setAsked] = useState(text)
  if (asked !== text) {
    setAsked(text)
    setTyped(text)
  }
  const done = useEffectEvent(() => {
    if (typed !== text) onChange(typed)
  })
  useEffect(() => {
    const timer = setTimeout(() => done(), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <TextField
      label={texts.search}
      type="search"
      placeholder={texts.searchHint}
      maxLength={MAX_TEXT}
      value={typed}
      onChange={setTyped}
    />
  )
}
