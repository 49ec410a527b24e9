import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { LEVELS, type LogFilters, MAX_TEXT } from './log-filters.ts'
import style from './logs.module.css'
import { logTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { Select, TextField } from '../../parts/field.tsx'

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
