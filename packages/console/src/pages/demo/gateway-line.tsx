import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import style from './board.module.css'
import { demoTexts } from './texts.ts'
import type { Demo } from './use-demo.ts'
import type { Answer } from '../../api/call.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { isPlatform, type Platform, PlatformName } from '../../parts/platform.tsx'
import { useNow } from '../../parts/time.tsx'

type Channel = Answer<'getChannel'>

/** The state of each connection and of the queue. */
export function GatewayStatus({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  return (
    <section className={style['line']} aria-label={texts.sees}>
      <h2 className={style['lineTitle']}>{texts.sees}</h2>
      <ul className={style['states']}>
        {demo.platforms.map(({ platform }) =>
          isPlatform(platform) ? <ChannelState key={platform} platform={platform} /> : null,
        )}
      </ul>
      <QueueStatus />
    </section>
  )
}

/** Queued and failed messages. */
function QueueStatus(): ReactNode {
  const texts = useTexts(demoTexts)
  const queued = useCall('listAllDeliveries', { query: { state: 'queued', limit: 100 } })
  const dead = useCall('listAllDeliveries', { query: { dead: 'true', limit: 100 } })
  const count = queued.data?.items.length ?? 0
  const failed = dead.data?.items.length ?? 0
  return (
    <p className={style['waiting']} role="status">
      {failed > 0 && (
        <>
          <Link to="/failed">{texts.failedForGood(failed)}</Link>
          {' · '}
        </>
      )}
      {count === 0 ? texts.nothingToSend : texts.toSend(count)}
    </p>
  )
}

/** How long a restored connection is shown as such, ms. */
const AGAIN_MS = 8_000

function ChannelState({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(demoTexts)
  const { data } = useCall('getChannel', { params: { platform } })
  const now = useNow()
  const [wasBroken, setBroken] = useState(false)
  if (data === undefined) return null
  const look = channelTone(data)
  if (look === 'warn' && !wasBroken) setBroken(true)
  const isAgain = wasBroken && data.state === 'running' && now - data.since < AGAIN_MS
  return (
    <li className={style['state']} data-look={isAgain ? 'again' : look}>
      <Link to="/channels/$platform" params={{ platform }}>
        <span className={style['dot']} aria-hidden="true" />
        <PlatformName platform={platform} />{' '}
        <span className={style['words']}>
          {isAgain ? texts.states.again : channelStateText(data, now, texts.states)}
        </span>
      </Link>
    </li>
  )
}

function channelTone({ has_config, enabled, state }: Channel): 'good' | 'warn' | 'bad' | 'none' {
  if (!has_config || !enabled || state === 'standby') return 'none'
  if (state === 'running') return 'good'
  return state === 'rejected' || state === 'stopped' ? 'bad' : 'warn'
}

type StateTexts = ReturnType<typeof useTexts<typeof demoTexts.en>>['states']

function channelStateText({ has_config, enabled, state, retry_at }: Channel, now: number, texts: StateTexts): string {
  if (!has_config) return texts.absent
  if (!enabled) return texts.off
  if (state !== 'backing_off') return texts[state]
  const seconds = retry_at === null ? 0 : Math.ceil((retry_at - now) / 1_000)
  return seconds > 0 ? texts.reconnectingIn(String(seconds)) : texts.reconnecting
}
