import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { focusOnMount } from './focus-once.ts'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { FIND_THE_BOT } from './way-words.ts'
import { NextRetry, StatusBadge, StatusRemedyButton, StatusReason } from '../channel-state.tsx'
import { useChannel } from '../use-channel.ts'
import { useCall } from '../../../api/queries.ts'
import { useLanguage } from '../../../language/language.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { ButtonLink } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Row } from '../../../parts/layout.tsx'
import { type Platform, PlatformMark, platformTexts } from '../../../parts/platform.tsx'
import { Waiting } from '../../../parts/states.tsx'

interface EndProps {
  readonly platform: Platform
  /** Only messages after this time count as the first. */
  readonly sinceMs: number
  readonly firstUser: Setup['first_user']
  readonly facts: Setup['facts']
  readonly next?: ReactNode
}

/** The end of a successful setup, with next steps. */
export function SetupEnd({ platform, sinceMs, firstUser, facts, next }: EndProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  const name = useTexts(platformTexts)[platform]
  const channel = useChannel(platform).data
  const server = facts['guild_name']
  return (
    <div className={style['end']}>
      <div className={style['endHead']}>
        <PlatformMark platform={platform} />
        <div>
          <h2 tabIndex={-1} ref={focusOnMount} className={style['quiet']}>
            {texts.doneTitle(name)}
          </h2>
          {channel?.bot && (
            <p className="soft">
              {texts.doneBot} <strong>{channel.bot.name ?? channel.bot.id}</strong>
            </p>
          )}
        </div>
        {channel && <StatusBadge channel={channel} />}
      </div>
      {channel && channel.state !== 'running' && (
        <Notice tone={channel.state === 'connecting' ? 'neutral' : 'warn'}>
          <StatusReason channel={channel} next />
          <NextRetry channel={channel} />
          <StatusRemedyButton channel={channel} small />
        </Notice>
      )}
      {server !== undefined && <p>{texts.invited(String(server) === '' ? texts.aServer : `“${server}”`)}</p>}
      {firstUser && <p className="soft">{texts.firstUser(firstUser.name ?? texts.you)}</p>}
      <section className={style['first']}>
        <h3>{texts.writeNow}</h3>
        <p>{FIND_THE_BOT[platform][language]}</p>
        <FirstMessage platform={platform} sinceMs={sinceMs} />
      </section>
      {next ?? (
        <Row>
          <ButtonLink kind="primary" to="/channels/$platform" params={{ platform }}>
            {texts.toChannel}
          </ButtonLink>
          <ButtonLink to="/channels">{texts.another}</ButtonLink>
        </Row>
      )}
    </div>
  )
}

/** Waits for the first message and shows it. */
function FirstMessage({ platform, sinceMs }: { readonly platform: Platform; readonly sinceMs: number }): ReactNode {
  const texts = useTexts(setupTexts)
  const { data } = useCall('listMessages', { params: { platform }, query: { limit: 1 } })
  const [newest] = data?.items ?? []
  const message = newest !== undefined && newest.received_at >= sinceMs ? newest : null
  return (
    <div role="status" className={style['message']}>
      {message === null ? (
        <Waiting>{texts.writeWaiting}</Waiting>
      ) : (
        <>
          <p className="soft">{texts.said(message.from.name ?? texts.somebody)}</p>
          <p className={style['bubble']}>{message.text === '' ? texts.file : message.text}</p>
          <Link to="/conversations/$id" params={{ id: message.conversation_id }}>
            {texts.toConversation} <Icon name="next" size={14} />
          </Link>
        </>
      )}
    </div>
  )
}
