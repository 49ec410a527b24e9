import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type Answer, ApiError } from '../../api/client.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { isPlatform, type Platform, PlatformMark, PlatformName } from '../../parts/platform.tsx'
import { Loaded } from '../../parts/states.tsx'
import { useNow } from '../../parts/time.tsx'
import style from './board.module.css'
import { Guide } from './guide.tsx'
import { ChatPane } from './phone.tsx'
import { StartDemo } from './start-demo.tsx'
import { demoTexts } from './texts.ts'
import { useClearFaults, useSendAs, LiveDemoContext, useDemoStore, useLiveDemo, type Demo } from './live-demo.ts'

/** The demo page: six emulated platforms connected to the real service and an assistant. */
export function Page(): ReactNode {
  const texts = useTexts(demoTexts)
  const demo = useCall('getDemo', {})
  if (demo.error instanceof ApiError && demo.error.code === 'no_demo') {
    return (
      <Sheet title={texts.none} lead={texts.noneLead}>
        <StartDemo kind="primary" />
      </Sheet>
    )
  }
  if (demo.data === undefined) {
    return (
      <Sheet title={texts.title} lead={texts.lead} wide>
        <Loaded query={demo} lines={8}>
          {() => null}
        </Loaded>
      </Sheet>
    )
  }
  return <RunningDemo demo={demo.data} />
}

function RunningDemo({ demo }: { readonly demo: Demo }): ReactNode {
  const store = useDemoStore()
  const texts = useTexts(demoTexts)
  return (
    <LiveDemoContext value={store}>
      <Sheet title={texts.title} lead={texts.lead} wide actions={<Actions demo={demo} />}>
        <ConnectionNotice />
        <Guide demo={demo} />
        <GatewayStatus demo={demo} />
        <ChatBoard demo={demo} />
      </Sheet>
    </LiveDemoContext>
  )
}

function ConnectionNotice(): ReactNode {
  const texts = useTexts(demoTexts)
  const stream = useLiveDemo((live) => live.stream)
  return stream === 'broken' ? <Notice tone="warn">{texts.lost}</Notice> : null
}

/** Actions on all platforms. */
function Actions({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  const panes = useLiveDemo((live) => live.panes)
  const normal = useClearFaults()
  const say = useSendAs()
  const names = demo.platforms.map(({ platform }) => platform)
  const faulty = names.filter((platform) => (panes[platform]?.faults.length ?? 0) > 0)
  const connected = names.filter((platform) => panes[platform]?.connected)
  const [first] = demo.people
  const sayHello = (): void => {
    for (const platform of connected) if (first) say.mutate({ platform, from: first, text: texts.hello })
  }
  return (
    <>
      {faulty.length > 0 && (
        <Button busy={normal.isPending} onClick={() => normal.mutate(faulty)}>
          {texts.allNormal}
        </Button>
      )}
      <Button kind="primary" disabled={connected.length === 0} onClick={sayHello}>
        {connected.length === 6 ? texts.helloAll : texts.helloSome}
      </Button>
    </>
  )
}

/** All chats side by side; on a phone, one at a time. */
export function ChatBoard({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  const [shown, setShown] = useState(demo.platforms[0]?.platform)
  return (
    <section className={style['chats']} aria-label={texts.board}>
      <nav className={style['tabs']} aria-label={texts.choose}>
        {demo.platforms.map(({ platform }) =>
          isPlatform(platform) ? (
            <button
              key={platform}
              type="button"
              className={style['tab']}
              data-platform={platform}
              aria-current={platform === shown}
              onClick={() => setShown(platform)}
            >
              <PlatformMark platform={platform} small />
              <PlatformName platform={platform} />
            </button>
          ) : null,
        )}
      </nav>
      <div className={style['board']}>
        {demo.platforms.map((platform) => (
          <div key={platform.platform} className={style['place']} data-shown={platform.platform === shown}>
            <ChatPane demo={demo} platform={platform} />
          </div>
        ))}
      </div>
    </section>
  )
}

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
