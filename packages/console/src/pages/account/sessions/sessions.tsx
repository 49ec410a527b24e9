import type { Session } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { parseDeviceName } from './device-name.ts'
import { sessionTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi } from '../account-problem.ts'
import { setAccountQuery, useAccountQuery } from '../account-reads.ts'
import { useNotifiedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { LongList } from '../long-list.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useSignOut } from '../../../frame/use-sign-out.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { RelativeTime } from '../../../parts/time.tsx'
import { notify } from '../../../parts/toast.tsx'

/** The section of sessions. */
export function Sessions(): ReactNode {
  const texts = useTexts(sessionTexts)
  const sessions = useAccountQuery('sessions')
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? []
  return (
    <Card title={texts.title} actions={others.length > 0 && <EndOthers others={others} />}>
      <p className={style['soft']}>{texts.lead}</p>
      <Loaded of={sessions} lines={5}>
        {(found) => (
          <LongList items={sortSessions(found)} itemKey={({ id }) => String(id)}>
            {(session) => <SessionRow session={session} />}
          </LongList>
        )}
      </Loaded>
    </Card>
  )
}

const lastSeenAt = ({ created_at, last_seen_at = created_at }: Session): number => last_seen_at

/** Sorts the current session first, then the most recently active. */
const sortSessions = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted((a, b) => Number(b.is_current) - Number(a.is_current) || lastSeenAt(b) - lastSeenAt(a))

function useEndSessions(): (ids: readonly number[]) => Promise<void> {
  const client = useQueryClient()
  return async (sessions) => {
    const { data } = await callAccountApi(() => accountClient.endSessions({ sessions }))
    setAccountQuery(client, 'sessions', data)
  }
}

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const signOut = useSignOut()
  const texts = useTexts(sessionTexts)
  const end = useEndSessions()
  const { run, isBusy } = useNotifiedAction(async () => {
    await end([session.id])
    notify(texts.ended)
  })
  const { browser, system } = parseDeviceName(session.user_agent)
  const device = browser && system ? texts.device(browser, system) : (browser ?? system ?? texts.unknown)
  return (
    <>
      <div className={style['what']} title={session.user_agent}>
        <span className={style['name']}>
          {device}
          {session.is_current && <Badge tone="accent">{texts.here}</Badge>}
        </span>
        <span className={style['detail']}>
          {texts.from(session.ip)} · {texts.since} <RelativeTime at={session.created_at * 1_000} />
          {session.last_seen_at !== undefined && (
            <>
              {' '}
              · {texts.seen} <RelativeTime at={session.last_seen_at * 1_000} />
            </>
          )}
        </span>
      </div>
      {session.is_current ? (
        <Button small onClick={signOut}>
          {texts.endHere}
        </Button>
      ) : (
        <Button small kind="danger" aria-label={texts.endOf(device, session.ip)} busy={isBusy} onClick={() => run()}>
          {texts.end}
        </Button>
      )}
    </>
  )
}

function EndOthers({ others }: { readonly others: readonly Session[] }): ReactNode {
  const texts = useTexts(sessionTexts)
  const end = useEndSessions()
  const { run, isBusy } = useNotifiedAction(async () => {
    await end(others.map(({ id }) => id))
    notify(texts.othersEnded)
  })
  return (
    <ConfirmButton
      small
      act={texts.endOthers}
      title={texts.endOthersTitle}
      lead={texts.endOthersLead(others.length)}
      busy={isBusy}
      onConfirm={() => run()}
    />
  )
}
