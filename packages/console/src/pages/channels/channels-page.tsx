import type { ReactNode } from 'react'
import { ChannelCard } from './channel-card.tsx'
import style from './channels.module.css'
import { DemoLink, FirstChannel } from './first-channel.tsx'
import { listTexts } from './texts.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform } from '../../parts/platform.tsx'
import { Loaded } from '../../parts/states.tsx'

/** The page of all platforms, or how to start if none is connected. */
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
      <Loaded of={channels} lines={8}>
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
