import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AllowedUsers } from './allowed-users.tsx'
import { ChannelFacts, RemoveChannel, ParseMode } from './channel-settings.tsx'
import { ChannelOverview, Gaps, Sending } from './channel-overview.tsx'
import { ChannelPeople } from './channel-people.tsx'
import style from './channel.module.css'
import type { Channel } from './status.ts'
import { channelTexts, listTexts } from './texts.ts'
import { useChannel, useSetEnabled } from './use-channel.ts'
import { NotFound } from '../../frame/status-pages.tsx'
import { useTexts } from '../../language/language.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { Card, Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform, type Platform, platformTexts } from '../../parts/platform.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'

/** The page of one channel. */
export function Page(): ReactNode {
  const { platform = '' } = useParams({ strict: false })
  return isPlatform(platform) ? <ChannelView key={platform} platform={platform} /> : <NotFound />
}

function ChannelView({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(channelTexts)
  const list = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  const channel = useChannel(platform)
  const enabled = useSetEnabled(platform)
  const data = channel.data
  return (
    <Sheet
      title={name}
      back={{ to: '/channels', label: texts.back }}
      {...(data?.bot?.name && { lead: texts.lead(data.bot.name) })}
      actions={
        data?.has_config && (
          <span className={style['switch']}>
            {data.enabled ? texts.on : texts.off}
            <Switch label={list.enable(name)} checked={data.enabled} onChange={(next) => enabled.mutate(next)} />
          </span>
        )
      }
    >
      <Loaded query={channel} lines={8}>
        {(loaded) => (loaded.has_config ? <ConnectedChannel channel={loaded} /> : <NotConnected platform={platform} />)}
      </Loaded>
    </Sheet>
  )
}

function NotConnected({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(channelTexts)
  const list = useTexts(listTexts)
  const name = useTexts(platformTexts)[platform]
  return (
    <Card>
      <Empty
        icon="link"
        title={texts.absentTitle(name)}
        actions={
          <ButtonLink kind="primary" to="/channels/$platform/setup" params={{ platform }}>
            {list.setUpName(name)}
          </ButtonLink>
        }
      >
        {list.needs[platform]}
      </Empty>
    </Card>
  )
}

function ConnectedChannel({ channel }: { readonly channel: Channel }): ReactNode {
  return (
    <div className={style['columns']}>
      <div className={style['column']}>
        <ChannelOverview channel={channel} />
        <ChannelPeople platform={channel.platform} />
        <AllowedUsers channel={channel} />
        {channel.parse_mode !== undefined && <ParseMode key={channel.parse_mode} channel={channel} />}
      </div>
      <div className={style['column']}>
        <ChannelFacts channel={channel} />
        <Sending channel={channel} />
        <Gaps channel={channel} />
        <RemoveChannel platform={channel.platform} />
      </div>
    </div>
  )
}
