import type { ReactNode } from 'react'
import { NextRetry, StatusBadge, StatusRemedyButton, StatusDetails, StatusReason } from './channel-state.tsx'
import style from './channel.module.css'
import { type Channel, findRemedy } from './standing.ts'
import { channelTexts, listTexts } from './texts.ts'
import { useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Card, Facts, Row } from '../../parts/layout.tsx'
import { Failure } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'

/** The card of the channel's status, with its reason and remedy. */
export function ChannelOverview({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const list = useTexts(listTexts)
  const { last_inbound_at: lastIn, last_delivered_at: lastOut, last_heard_at: heard } = channel
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
          [texts.heard, heard === null ? null : <RelativeTime key="heard" at={heard} />],
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
