import { type ReactNode, type Ref, useState } from 'react'
import type { ChannelEntry, KnownUser } from '../../../api/gateway-api.ts'
import { useCall } from '../../../api/queries.ts'
import { useLanguage, useTexts } from '../../../language/language.ts'
import { Button } from '../../../parts/button.tsx'
import { Checkbox, TextField } from '../../../parts/field.tsx'
import { Card } from '../../../parts/layout.tsx'
import { type Platform, PlatformMark, PlatformName, PLATFORMS } from '../../../parts/platform.tsx'
import { Failure, Loading } from '../../../parts/states.tsx'
import { nameOrId } from '../names.ts'
import { explainUnreachable } from '../reasons.ts'
import style from './send.module.css'
import { sendTexts } from './texts.ts'

/** People shown per platform before "Show more". */
const SHOWN = 50

interface Selection {
  readonly chosen: ReadonlySet<string>
  /** Selects or deselects these people. */
  choose(people: readonly Person[], isChosen: boolean): void
}

interface PeoplePickerProps extends Selection {
  readonly of: readonly PlatformPeople[]
  /** How many reachable people are selected. */
  readonly count: number
  readonly error: string | null
  readonly searchRef: Ref<HTMLInputElement>
  clear(): void
}

/** Selects the recipients of a message. */
export function PeoplePicker({ of, count, error, searchRef, clear, ...choosing }: PeoplePickerProps): ReactNode {
  const texts = useTexts(sendTexts)
  const [words, setWords] = useState('')
  return (
    <Card
      title={texts.to}
      actions={
        count > 0 && (
          <>
            <span role="status">{texts.chosen(count)}</span>
            <Button small kind="quiet" onClick={clear}>
              {texts.clear}
            </Button>
          </>
        )
      }
    >
      <TextField
        ref={searchRef}
        label={texts.search}
        hideLabel
        type="search"
        placeholder={texts.searchHint}
        value={words}
        onChange={setWords}
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()} // don't submit the form while searching
        error={error}
      />
      <div className={style['people']}>
        {of.map((one) => (
          <PlatformFieldset key={one.platform} of={one} words={words} {...choosing} />
        ))}
      </div>
    </Card>
  )
}

function PlatformFieldset({
  of: { platform, people, running, isLoading, error, retry },
  words,
  chosen,
  choose,
}: Selection & { readonly of: PlatformPeople; readonly words: string }): ReactNode {
  const texts = useTexts(sendTexts)
  const [most, setMost] = useState(SHOWN)
  const found = people.filter((one) => matchesPerson(one, words))
  const reachable = found.filter((one) => one.reachable)
  const emptyText = people.length === 0 ? texts.noPeopleOnPlatform : found.length === 0 ? texts.noMatch : null
  return (
    <fieldset className={style['group']} data-platform={platform}>
      <legend>
        <PlatformMark platform={platform} small /> <PlatformName platform={platform} />
      </legend>
      {isLoading && <Loading lines={2} />}
      {error !== null && <Failure error={error} onRetry={retry} />}
      {!running && <p className={style['note']}>{texts.notRunning}</p>}
      {emptyText !== null && !isLoading && error === null && <p className={style['note']}>{emptyText}</p>}
      {reachable.length > 1 && (
        <Checkbox
          label={<strong>{texts.all(reachable.length)}</strong>}
          checked={reachable.every(({ key }) => chosen.has(key))}
          onChange={(isChosen) => choose(reachable, isChosen)}
        />
      )}
      {found.slice(0, most).map((person) => (
        <PersonField
          key={person.key}
          person={person}
          running={running}
          isChosen={chosen.has(person.key)}
          onChange={(isChosen) => choose([person], isChosen)}
        />
      ))}
      {found.length > most && (
        <div>
          <Button small kind="quiet" onClick={() => setMost(most + SHOWN)}>
            {texts.more(Math.min(SHOWN, found.length - most))}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

function PersonField({
  person: { name, user, reachable },
  running,
  isChosen,
  onChange,
}: {
  readonly person: Person
  readonly running: boolean
  readonly isChosen: boolean
  onChange(isChosen: boolean): void
}): ReactNode {
  const texts = useTexts(sendTexts)
  const { language } = useLanguage()
  const why = !user.reachable
    ? explainUnreachable(user.reason_code, user.reason, language).text
    : running && !user.allowed
      ? texts.notAllowed
      : null
  return (
    <Checkbox
      label={
        <>
          <span dir="auto">{name}</span>
          {name !== user.user_id && (
            <span className={style['id']}> {user.username === null ? user.user_id : `@${user.username}`}</span>
          )}
        </>
      }
      {...(why !== null && { hint: <span className={style['why']}>{why}</span> })}
      checked={isChosen && reachable}
      disabled={!reachable}
      onChange={onChange}
    />
  )
}

/** A person who has messaged the bot of a platform. */
export interface Person {
  /** Unique per person and platform. */
  readonly key: string
  readonly platform: Platform
  readonly userId: string
  readonly name: string
  readonly user: KnownUser
  /** Can be messaged now. */
  readonly reachable: boolean
}

/** The people of a connected platform. */
export interface PlatformPeople {
  readonly platform: Platform
  readonly running: boolean
  readonly people: readonly Person[]
  readonly isLoading: boolean
  readonly error: unknown
  retry(): void
}

/** Returns the key of a person on a platform. */
export const personKey = (platform: string, userId: string): string => `${platform} ${userId}`

const toPerson = (platform: Platform, running: boolean, user: KnownUser): Person => ({
  key: personKey(platform, user.user_id),
  platform,
  userId: user.user_id,
  name: nameOrId(user.name, user.username ?? user.user_id),
  user,
  reachable: running && user.reachable,
})

/** Reports whether a text is part of a person's names or ID. */
function matchesPerson({ name, user }: Person, words: string): boolean {
  const wanted = words.trim().toLowerCase()
  return [name, user.username ?? '', user.user_id].some((text) => text.toLowerCase().includes(wanted))
}

/** Returns the known people by platform; `null` until the connected platforms are known. */
export function usePeople(): { readonly of: readonly PlatformPeople[] | null; readonly error: unknown; retry(): void } {
  const channels = useCall('listChannels', {})
  const entries = new Map(channels.data?.channels.map((one) => [one.platform, one]))
  const lists: Readonly<Record<Platform, PlatformPeople>> = {
    feishu: usePlatformPeople('feishu', entries.get('feishu')),
    wecom: usePlatformPeople('wecom', entries.get('wecom')),
    weixin: usePlatformPeople('weixin', entries.get('weixin')),
    discord: usePlatformPeople('discord', entries.get('discord')),
    telegram: usePlatformPeople('telegram', entries.get('telegram')),
    dingtalk: usePlatformPeople('dingtalk', entries.get('dingtalk')),
  }
  const connected = PLATFORMS.filter((one) => entries.get(one)?.has_config === true)
  return {
    of: channels.data === undefined ? null : connected.map((one) => lists[one]),
    error: channels.error,
    retry: () => void channels.refetch(),
  }
}

function usePlatformPeople(platform: Platform, entry: ChannelEntry | undefined): PlatformPeople {
  const isConnected = entry?.has_config === true
  const { data, error, refetch } = useCall('listUsers', { params: { platform } }, { when: isConnected })
  const running = entry?.running === true
  return {
    platform,
    running,
    people: data?.users.map((user) => toPerson(platform, running, user)) ?? [],
    isLoading: isConnected && data === undefined && error === null,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  }
}
