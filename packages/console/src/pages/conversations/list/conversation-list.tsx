import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ConversationRow } from './conversation-row.tsx'
import { type Filters, filtersOf, NO_FILTERS, queryOf, searchOf } from './filters.ts'
import style from './list.module.css'
import { conversationTexts } from '../texts.ts'
import { useCall, useList } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button, ButtonLink } from '../../../parts/button.tsx'
import { Choice, TextField } from '../../../parts/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { PLATFORMS, platformTexts } from '../../../parts/platform.tsx'
import { Empty } from '../../../parts/states.tsx'
import { ListBody } from '../../../parts/table.tsx'

const PAUSE_MS = 300
const PAGE = 30

/** What is looked for: it stands in the address, the words as soon as one pauses. */
function useFilters() {
  const filters = filtersOf(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [words, setWords] = useState(filters.q)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: Filters): void => {
    clearTimeout(timer.current)
    void navigate({ to: '.', search: searchOf(next), replace: true })
  }
  return {
    filters,
    words,
    choose: (next: Filters) => change({ ...next, q: words }),
    find(q: string) {
      setWords(q)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => change({ ...filters, q }), PAUSE_MS)
    },
    clear() {
      setWords('')
      change(NO_FILTERS)
    },
  }
}

/** Every conversation, newest first, with search and filters. @param selected The one that is shown beside it. */
export function ConversationList({ selected }: { readonly selected: string | null }): ReactNode {
  const texts = useTexts(conversationTexts)
  const { filters, words, choose, find, clear } = useFilters()
  const list = useList('listConversations', { query: { ...queryOf(filters), limit: PAGE } }, { keep: true })
  const heading = selected === null ? <h1 tabIndex={-1}>{texts.title}</h1> : <h2>{texts.title}</h2>
  return (
    <section className={style['pane']} aria-label={texts.title}>
      <div className={style['head']}>
        {heading}
        <ButtonLink to="/send" small kind="primary">
          <Icon name="send" size={16} /> {texts.write}
        </ButtonLink>
      </div>
      <div className={style['filters']} role="search">
        <TextField
          label={texts.search}
          hideLabel
          type="search"
          placeholder={texts.searchHint}
          maxLength={200}
          value={words}
          onChange={find}
        />
        <FilterChoices filters={filters} onChange={choose} />
      </div>
      <div className={style['scroll']}>
        <ToFailed />
        <ListBody
          list={list}
          empty={<NothingHere isFiltered={Object.keys(searchOf(filters)).length > 0} onClear={clear} />}
        >
          {(items) => (
            <ul className={style['rows']} aria-label={texts.list}>
              {items.map((one) => (
                <ConversationRow key={one.id} conversation={one} isSelected={one.id === selected} />
              ))}
            </ul>
          )}
        </ListBody>
      </div>
    </section>
  )
}

function FilterChoices({
  filters,
  onChange,
}: {
  readonly filters: Filters
  onChange(filters: Filters): void
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const names = useTexts(platformTexts)
  const { data } = useCall('listChannels', {})
  const configured = new Set(data?.channels.filter((one) => one.has_config).map(({ platform }) => platform))
  const platforms = PLATFORMS.filter((one) => configured.has(one) || one === filters.platform)
  return (
    <div className={style['choices']}>
      <Choice
        label={texts.platform}
        hideLabel
        value={filters.platform}
        options={[['', texts.anyPlatform], ...platforms.map((one) => [one, names[one]] as const)]}
        onChange={(platform) => onChange({ ...filters, platform })}
      />
      <Choice
        label={texts.kind}
        hideLabel
        value={filters.kind}
        options={[
          ['', texts.anyKind],
          ['direct', texts.direct],
          ['group', texts.group],
        ]}
        onChange={(kind) => onChange({ ...filters, kind })}
      />
      <Choice
        label={texts.state}
        hideLabel
        value={filters.state}
        options={[
          ['', texts.anyState],
          ['waiting', texts.stateWaiting],
          ['failed', texts.stateFailed],
        ]}
        onChange={(state) => onChange({ ...filters, state })}
      />
    </div>
  )
}

/** As many as the navigation counts. */
const MOST_FAILED = 20

/** The way to what failed for good, when something did. */
function ToFailed(): ReactNode {
  const texts = useTexts(conversationTexts)
  const { data } = useCall('listAllDeliveries', { query: { dead: 'true', limit: MOST_FAILED } })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Link to="/failed" className={style['toFailed']}>
      <Icon name="fail" size={16} />
      <span>{texts.toFailed(data.items.length, data.next !== null)}</span>
      <Icon name="next" size={16} />
    </Link>
  )
}

/** Why the list is empty, and the way on. */
function NothingHere({ isFiltered, onClear }: { readonly isFiltered: boolean; onClear(): void }): ReactNode {
  const texts = useTexts(conversationTexts)
  const { data } = useCall('listChannels', {})
  if (isFiltered) {
    return (
      <Empty icon="search" title={texts.nothingFound} actions={<Button onClick={onClear}>{texts.clear}</Button>}>
        {texts.nothingFoundLead}
      </Empty>
    )
  }
  if (data?.channels.every((one) => !one.has_config) === true) {
    return (
      <Empty
        icon="channels"
        title={texts.noChannel}
        actions={
          <ButtonLink kind="primary" to="/channels">
            {texts.toChannels}
          </ButtonLink>
        }
      >
        {texts.noChannelLead}
      </Empty>
    )
  }
  return (
    <Empty icon="conversations" title={texts.empty}>
      {texts.emptyLead}
    </Empty>
  )
}
