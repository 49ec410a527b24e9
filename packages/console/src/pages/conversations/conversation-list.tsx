import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Conversation } from '../../api/gateway-api.ts'
import { useCall, useList } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Select, TextField } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { PlatformMark, PLATFORMS, platformTexts } from '../../parts/platform.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'
import { Clock } from '../../parts/time.tsx'
import { conversationName } from './names.ts'
import { conversationTexts } from './texts.ts'
import { type Filters, NO_FILTERS, parseFilters, toQuery, toSearch } from './filters.ts'
import style from './list.module.css'

const PAUSE_MS = 300
const PAGE = 30

/** Keeps the filters in the URL; the search text follows after a pause. */
function useFilters() {
  const filters = parseFilters(useSearch({ strict: false }))
  const navigate = useNavigate()
  const [searchText, setSearchText] = useState(filters.q)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = (next: Filters): void => {
    clearTimeout(timer.current)
    void navigate({ to: '.', search: toSearch(next), replace: true })
  }
  return {
    filters,
    searchText,
    choose: (next: Filters) => change({ ...next, q: searchText }),
    search(q: string) {
      setSearchText(q)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => change({ ...filters, q }), PAUSE_MS)
    },
    clear() {
      setSearchText('')
      change(NO_FILTERS)
    },
  }
}

/** The list of conversations with search and filters. @param selected ID of the one shown next to it. */
export function ConversationList({ selected }: { readonly selected: string | null }): ReactNode {
  const texts = useTexts(conversationTexts)
  const { filters, searchText, choose, search, clear } = useFilters()
  const list = useList('listConversations', { query: { ...toQuery(filters), limit: PAGE } }, { keep: true })
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
          value={searchText}
          onChange={search}
        />
        <FilterChoices filters={filters} onChange={choose} />
      </div>
      <div className={style['scroll']}>
        <FailedLink />
        <ListBody
          list={list}
          empty={<EmptyList isFiltered={Object.keys(toSearch(filters)).length > 0} onClear={clear} />}
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
      <Select
        label={texts.platform}
        hideLabel
        value={filters.platform}
        options={[['', texts.anyPlatform], ...platforms.map((one) => [one, names[one]] as const)]}
        onChange={(platform) => onChange({ ...filters, platform })}
      />
      <Select
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
      <Select
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

/** The same limit as in the navigation, so that the response is shared. */
const MOST_FAILED = 20

/** A link to the failed messages, if there are any. */
function FailedLink(): ReactNode {
  const texts = useTexts(conversationTexts)
  const { data } = useCall('listAllDeliveries', { query: { dead: 'true', limit: MOST_FAILED } })
  if (data === undefined || data.items.length === 0) return null
  return (
    <Link to="/failed" className={style['failedLink']}>
      <Icon name="fail" size={16} />
      <span>{texts.failedLink(data.items.length, data.next !== null)}</span>
      <Icon name="next" size={16} />
    </Link>
  )
}

/** Explains why the list is empty. */
function EmptyList({ isFiltered, onClear }: { readonly isFiltered: boolean; onClear(): void }): ReactNode {
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

/** A conversation in the list. */
function ConversationRow({
  conversation,
  isSelected,
}: {
  readonly conversation: Conversation
  readonly isSelected: boolean
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const platforms = useTexts(platformTexts)
  const { id, platform, chat, last, waiting, failed } = conversation
  return (
    <li>
      <Link
        to="/conversations/$id"
        params={{ id }}
        search={true}
        className={style['row']}
        aria-current={isSelected ? 'true' : undefined}
        ref={isSelected ? scrollIntoView : undefined}
      >
        <PlatformMark platform={platform} />
        <span className={style['who']}>
          <span className={style['name']}>
            <bdi>{conversationName(conversation)}</bdi>
          </span>
          {chat.kind === 'group' && <Icon name="people" size={15} />}
          <span className="visually-hidden">
            {platforms[platform]}
            {chat.kind === 'group' && `, ${texts.kindGroup}`}
          </span>
        </span>
        {last !== null && (
          <span className={style['when']}>
            <Clock at={last.at} />
          </span>
        )}
        <span className={style['last']}>
          <bdi>{last === null ? texts.expired : <LastLine last={last} isGroup={chat.kind === 'group'} />}</bdi>
        </span>
        {(waiting > 0 || failed > 0) && (
          <span className={style['badges']}>
            {waiting > 0 && <Badge tone="warn">{texts.waiting(waiting)}</Badge>}
            {failed > 0 && <Badge tone="bad">{texts.failed(failed)}</Badge>}
          </span>
        )}
      </Link>
    </li>
  )
}

/** The last message, with its sender where that isn't obvious. */
function LastLine({
  last,
  isGroup,
}: {
  readonly last: NonNullable<Conversation['last']>
  readonly isGroup: boolean
}): ReactNode {
  const texts = useTexts(conversationTexts)
  const speaker = last.by === 'bot' ? texts.bot : isGroup ? last.name : null
  return speaker === null ? last.text : texts.senderAndText(speaker, last.text)
}

/** Scrolls to the selected row when the list is rendered again. */
const scrollIntoView = (row: HTMLAnchorElement | null): void => row?.scrollIntoView({ block: 'nearest' })
