import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useFormat } from '../../language/format.ts'
import { useLanguage, useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Card, Facts, Row } from '../../parts/layout.tsx'
import { Failure } from '../../parts/states.tsx'
import { Clock, RelativeTime } from '../../parts/time.tsx'
import { explainGap } from './gap-reasons.ts'
import { NextRetry, StatusBadge, StatusDetails, StatusReason, StatusRemedyButton } from './status-view.tsx'
import style from './channel.module.css'
import { findRemedy, stateTexts, type Channel } from './status.ts'
import { channelTexts, listTexts } from './texts.ts'

/** The card of the channel's status, with its reason and remedy. */
export function ChannelOverview({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const list = useTexts(listTexts)
  const { last_inbound_at: lastIn, last_delivered_at: lastOut, last_heard_at: lastHeartbeat } = channel
  return (
    <Card title={texts.state} actions={<StatusBadge channel={channel} />} platform={channel.platform}>
      <div className={style['state']} role="status">
        <StatusReason channel={channel} next />
      </div>
      <NextRetry channel={channel} />
      <StatusDetails channel={channel} />
      {findRemedy(channel) !== null && (
        <div>
          <StatusRemedyButton channel={channel} />
        </div>
      )}
      <Facts
        facts={[
          [texts.since, <RelativeTime key="since" at={channel.since} />],
          [
            texts.lastHeartbeat,
            lastHeartbeat === null ? null : <RelativeTime key="lastHeartbeat" at={lastHeartbeat} />,
          ],
          [list.lastIn, lastIn === null ? list.never : <RelativeTime key="in" at={lastIn} />],
          [list.lastOut, lastOut === null ? list.never : <RelativeTime key="out" at={lastOut} />],
        ]}
      />
      <TestConnection channel={channel} />
    </Card>
  )
}

/** Tests the stored credentials. */
function TestConnection({ channel: { platform } }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const test = useChange('testChannel')
  return (
    <>
      <Row>
        <Button busy={test.isPending} onClick={() => test.mutate({ params: { platform } })}>
          {texts.test}
        </Button>
        <ButtonLink kind="quiet" to="/channels/$platform/setup" params={{ platform }}>
          {texts.newCredentials}
        </ButtonLink>
        {platform === 'discord' && (
          <ButtonLink kind="quiet" to="/channels/$platform/setup" params={{ platform }} search={{ kind: 'invite' }}>
            {texts.invite}
          </ButtonLink>
        )}
      </Row>
      <div role="status">
        {test.isPending && texts.testing}
        {test.data && <Notice tone="good">{texts.tested(test.data.bot.name)}</Notice>}
      </div>
      {test.error !== null && <Failure error={test.error} />}
    </>
  )
}

/** The card of queued and failed messages and rate limits. */
export function Sending({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const format = useFormat()
  const { send_budget: budget, queued, dead } = channel
  return (
    <Card title={texts.sending}>
      <Facts
        facts={[
          [texts.queued, format.number(queued)],
          [
            texts.dead,
            <span key="dead">
              {format.number(dead)} {dead > 0 && <Link to="/failed">{texts.seeFailed}</Link>}
            </span>,
          ],
          [texts.budget, budget === null ? null : format.number(Math.max(0, Math.floor(budget.available)))],
          [texts.pausedUntil, budget?.paused_until ? <Clock key="paused" at={budget.paused_until} /> : null],
        ]}
      />
      {budget !== null && (
        <p className="soft">{texts.perSecond(format.number(Math.round(budget.per_second * 10) / 10))}</p>
      )}
    </Card>
  )
}

function GapReason({ gap }: { readonly gap: Channel['gaps'][number] }): ReactNode {
  const state = useTexts(stateTexts)
  const { language } = useLanguage()
  const { text, words } = explainGap(gap, language)
  return (
    <>
      {text !== null && <p className="soft">{text}</p>}
      {words !== null && (
        <details className="soft">
          <summary>{state.platformSays}</summary>
          <p lang="en">{words}</p>
        </details>
      )}
    </>
  )
}

const SHOWN = 5

/** The card of periods in which messages may have been lost. */
export function Gaps({ channel: { platform, gaps } }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const format = useFormat()
  const [all, setAll] = useState(false)
  if (gaps.length === 0) return null
  return (
    <Card title={texts.gaps}>
      <p className="soft">
        {texts.gapsLead} {texts.keeps[platform]}
      </p>
      <ul className={style['gaps']}>
        {gaps.slice(0, all ? gaps.length : SHOWN).map((gap) => (
          <li key={`${gap.from} ${gap.to} ${gap.why}`}>
            <span>
              <Clock at={gap.from} /> – <Clock at={gap.to} />{' '}
              <span className="soft">({format.span(Math.max(0, gap.to - gap.from))})</span>
            </span>
            <GapReason gap={gap} />
          </li>
        ))}
      </ul>
      {!all && gaps.length > SHOWN && (
        <div>
          <Button small onClick={() => setAll(true)}>
            {texts.moreGaps(gaps.length - SHOWN)}
          </Button>
        </div>
      )}
    </Card>
  )
}
