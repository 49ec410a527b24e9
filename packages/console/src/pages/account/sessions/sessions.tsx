import type { Session } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { deviceName } from './device-name.ts'
import { sessionTexts } from './texts.ts'
import style from '../account.module.css'
import { ask } from '../account-problem.ts'
import { keepRead, useRead } from '../account-reads.ts'
import { useToldAct } from '../act.ts'
import { AskedButton } from '../asked-button.tsx'
import { LongList } from '../long-list.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useSignOut } from '../../../frame/use-sign-out.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { Ago } from '../../../parts/time.tsx'
import { tell } from '../../../parts/toast.tsx'

/** Where one is signed in. */
export function Sessions(): ReactNode {
  const texts = useTexts(sessionTexts)
  const sessions = useRead('sessions')
  const others = sessions.data?.filter(({ is_current }) => !is_current) ?? []
  return (
    <Card title={texts.title} actions={others.length > 0 && <EndOthers others={others} />}>
      <p className={style['soft']}>{texts.lead}</p>
      <Loaded of={sessions} lines={5}>
        {(found) => (
          <LongList items={inOrder(found)} itemKey={({ id }) => String(id)}>
            {(session) => <SessionRow session={session} />}
          </LongList>
        )}
      </Loaded>
    </Card>
  )
}

const seenAt = ({ created_at, last_seen_at = created_at }: Session): number => last_seen_at

/** This one first, then those that were used last. */
const inOrder = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted((a, b) => Number(b.is_current) - Number(a.is_current) || seenAt(b) - seenAt(a))

function useEnd(): (ids: readonly number[]) => Promise<void> {
  const client = useQueryClient()
  return async (sessions) => {
    const { data } = await ask(() => accountClient.endSessions({ sessions }))
    keepRead(client, 'sessions', data)
  }
}

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const signOut = useSignOut()
  const texts = useTexts(sessionTexts)
  const end = useEnd()
  const { run, isBusy } = useToldAct(async () => {
    await end([session.id])
    tell(texts.ended)
  })
  const { browser, system } = deviceName(session.user_agent)
  const device = browser && system ? texts.device(browser, system) : (browser ?? system ?? texts.unknown)
  return (
    <>
      <div className={style['what']} title={session.user_agent}>
        <span className={style['name']}>
          {device}
          {session.is_current && <Badge tone="accent">{texts.here}</Badge>}
        </span>
        <span className={style['detail']}>
          {texts.from(session.ip)} · {texts.since} <Ago at={session.created_at * 1_000} />
          {session.last_seen_at !== undefined && (
            <>
              {' '}
              · {texts.seen} <Ago at={session.last_seen_at * 1_000} />
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
  const end = useEnd()
  const { run, isBusy } = useToldAct(async () => {
    await end(others.map(({ id }) => id))
    tell(texts.othersEnded)
  })
  return (
    <AskedButton
      small
      act={texts.endOthers}
      title={texts.endOthersTitle}
      lead={texts.endOthersLead(others.length)}
      busy={isBusy}
      onConfirm={() => run()}
    />
  )
}
