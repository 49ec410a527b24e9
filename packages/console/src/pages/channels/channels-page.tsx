import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/client.ts'
import { useCall } from '../../api/queries.ts'
import { useFormat } from '../../language/format.ts'
import { useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { Facts, Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform, PlatformMark, platformTexts } from '../../parts/platform.tsx'
import { Loaded } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { NextRetry, StatusBadge, StatusReason, StatusRemedyButton } from './status-view.tsx'
import style from './channels.module.css'
import { DemoLink, FirstChannel } from './first-channel.tsx'
import { stateTexts, type Channel } from './status.ts'
import { listTexts } from './texts.ts'
import { useChannel, useSetEnabled } from './use-channel.ts'

/** The channels page. Without a connected platform, it shows how to connect the first one. */
export function Page(): ReactNode {
  const texts = useTexts(listTexts)
  const channels = useCall('listChannels', {})
  const known = channels.data?.channels.filter(({ platform }) => isPlatform(platform)) ?? []
  const connected = known.filter(({ has_config }) => has_config)
  const running = connected.filter((channel) => channel.running).length
  return (
    <Sheet
      title={texts.title}
      lead={texts.lead}
      actions={
        connected.length > 0 && (
          <Badge tone={running === connected.length ? 'good' : 'neutral'} dot>
            {texts.running(running, connected.length)}
          </Badge>
        )
      }
    >
      <Loaded query={channels} lines={8}>
        {() =>
          connected.length === 0 ? (
            <>
              <FirstChannel />
              <DemoLink />
            </>
          ) : (
            <ul className={style['cards']} aria-label={texts.cards}>
              {known.map((entry) => (
                <li key={entry.platform}>
                  <ChannelCard entry={entry} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Sheet>
  )
}

type Entry = Answer<'listChannels'>['channels'][number]

/** The card of a platform: status, recent activity and a switch. */
export function ChannelCard({ entry }: { readonly entry: Entry }): ReactNode {
  const { platform, has_config: isConnected } = entry
  const texts = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const channel = useChannel(platform, isConnected)
  const enabled = useSetEnabled(platform)
  return (
    <article className={style['card']} data-platform={platform} data-absent={!isConnected}>
      <header className={style['cardHead']}>
        <PlatformMark platform={platform} />
        <div className={style['cardTitle']}>
          <h2>
            {isConnected ? (
              <Link to="/channels/$platform" params={{ platform }} className={style['cardLink']}>
                {name}
              </Link>
            ) : (
              name
            )}
          </h2>
          {channel.data?.bot?.name && <span className="soft">{channel.data.bot.name}</span>}
        </div>
        {isConnected && (
          <Switch label={texts.enable(name)} checked={entry.enabled} onChange={(next) => enabled.mutate(next)} />
        )}
      </header>
      {isConnected ? (
        <Loaded query={channel}>{(data) => <ConnectedCard channel={data} />}</Loaded>
      ) : (
        <DisconnectedCard platform={platform} name={name} />
      )}
    </article>
  )
}

function DisconnectedCard({
  platform,
  name,
}: {
  readonly platform: Entry['platform']
  readonly name: string
}): ReactNode {
  const texts = useTexts(listTexts)
  const states = useTexts(stateTexts)
  return (
    <>
      <div>
        <Badge>{states.statuses.absent}</Badge>
      </div>
      <p className="soft">{texts.needs[platform]}</p>
      <div className={style['cardFoot']}>
        <ButtonLink to="/channels/$platform/setup" params={{ platform }} aria-label={texts.setUpName(name)}>
          {texts.setUp}
        </ButtonLink>
      </div>
    </>
  )
}

function ConnectedCard({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(listTexts)
  const format = useFormat()
  const { last_inbound_at: lastIn, last_delivered_at: lastOut, queued, dead } = channel
  return (
    <>
      <div className={style['cardState']}>
        <StatusBadge channel={channel} />
        <StatusReason channel={channel} />
        <NextRetry channel={channel} />
        <StatusRemedyButton channel={channel} small />
      </div>
      <Facts
        facts={[
          [texts.lastIn, lastIn === null ? texts.never : <RelativeTime key="in" at={lastIn} />],
          [texts.lastOut, lastOut === null ? texts.never : <RelativeTime key="out" at={lastOut} />],
          [texts.reach, <ReachableCount key="reach" platform={channel.platform} />],
          [texts.queued, queued === 0 ? null : format.number(queued)],
          [
            texts.dead,
            dead === 0 ? null : (
              <Link key="dead" to="/failed">
                {format.number(dead)}
              </Link>
            ),
          ],
        ]}
      />
    </>
  )
}

/** The number of known people who can be messaged now. */
function ReachableCount({ platform }: { readonly platform: Entry['platform'] }): ReactNode {
  const texts = useTexts(listTexts)
  const format = useFormat()
  const { data } = useCall('listUsers', { params: { platform } })
  if (data === undefined) return '…'
  if (data.users.length === 0) return texts.noPeople
  const reachable = data.users.filter((user) => user.reachable).length
  return texts.reachableCount(format.number(reachable), format.number(data.users.length))
}
