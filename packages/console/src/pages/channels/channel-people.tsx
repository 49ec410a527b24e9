import { type ReactNode, useState } from 'react'
import style from './channel.module.css'
import { displayName, matchesPerson, type Person } from './people.ts'
import { peopleTexts } from './texts.ts'
import { explainUnreachable } from '../conversations/reasons.ts'
import { useCall } from '../../api/queries.ts'
import { useFormat } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Card } from '../../parts/layout.tsx'
import type { Platform } from '../../parts/platform.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { RelativeTime } from '../../parts/time.tsx'

const STEP = 20
/** Number of people above which the search field is shown. */
const MANY = 8

/** The card of the people who have messaged the bot. */
export function ChannelPeople({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(peopleTexts)
  const people = useCall('listUsers', { params: { platform } })
  return (
    <Card title={texts.people}>
      <Loaded query={people}>
        {({ users }) =>
          users.length === 0 ? (
            <Empty icon="people" title={texts.none}>
              {texts.noneLead}
            </Empty>
          ) : (
            <PeopleList platform={platform} users={users} />
          )
        }
      </Loaded>
    </Card>
  )
}

function PeopleList({
  platform,
  users,
}: {
  readonly platform: Platform
  readonly users: readonly Person[]
}): ReactNode {
  const texts = useTexts(peopleTexts)
  const format = useFormat()
  const columns = useColumns(platform, users)
  const [text, setText] = useState('')
  const [count, setCount] = useState(STEP)
  const found = users.filter((user) => matchesPerson(user, text))
  return (
    <>
      {users.length > MANY && <TextField label={texts.search} value={text} onChange={setText} type="search" />}
      {found.length === 0 ? (
        <p role="status">{texts.noMatch}</p>
      ) : (
        <div className={style['people']}>
          <Table label={texts.people} columns={columns} rows={found.slice(0, count)} rowKey={({ user_id: id }) => id} />
        </div>
      )}
      {found.length > count && (
        <div>
          <Button small onClick={() => setCount(count + STEP)}>
            {texts.more(format.number(found.length - count))}
          </Button>
        </div>
      )}
    </>
  )
}

function useColumns(platform: Platform, users: readonly Person[]): readonly Column<Person>[] {
  const texts = useTexts(peopleTexts)
  const format = useFormat()
  const counts = users.some(({ sends_left: left }) => left !== null)
  return [
    { title: texts.name, cell: (user) => <Who user={user} /> },
    { title: texts.lastSeen, cell: ({ last_seen_at: at }) => <RelativeTime at={at} /> },
    { title: texts.reachable, cell: (user) => <Reachable user={user} /> },
    ...(counts
      ? [
          {
            title: texts.sendsLeft,
            cell: ({ sends_left: left }: Person) => (left === null ? '–' : format.number(left)),
          },
        ]
      : []),
    { title: texts.answered, cell: ({ allowed }) => (allowed ? texts.yes : <Badge tone="warn">{texts.no}</Badge>) },
    {
      title: texts.message,
      end: true,
      cell: (user) => (
        <ButtonLink
          small
          to="/send"
          search={{ platform, user: user.user_id }}
          aria-label={texts.writeTo(displayName(user))}
        >
          {texts.write}
        </ButtonLink>
      ),
    },
  ]
}

function Who({ user }: { readonly user: Person }): ReactNode {
  return (
    <span className={style['who']}>
      <strong>{displayName(user)}</strong>
      <span className="soft">
        {user.username !== null && `@${user.username} · `}
        <code>{user.user_id}</code>
      </span>
    </span>
  )
}

function Reachable({ user: { reachable, reason, reason_code } }: { readonly user: Person }): ReactNode {
  const texts = useTexts(peopleTexts)
  const { language } = useLanguage()
  if (reachable) return <Badge tone="good">{texts.yes}</Badge>
  return (
    <span className={style['who']}>
      <Badge tone="warn">{texts.no}</Badge>
      <span className="soft">{explainUnreachable(reason_code, reason, language).text}</span>
    </span>
  )
}
