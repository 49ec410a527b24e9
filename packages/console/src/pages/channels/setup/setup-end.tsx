import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useCall } from '../../../api/queries.ts'
import { errorCodeMessage, errorMessage } from '../../../language/errors.ts'
import { type Language, useLanguage, useTexts } from '../../../language/language.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button, buttonClass, ButtonLink } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Row } from '../../../parts/layout.tsx'
import { type Platform, PlatformMark, platformTexts } from '../../../parts/platform.tsx'
import { Waiting } from '../../../parts/states.tsx'
import { NextRetry, StatusBadge, StatusReason, StatusRemedyButton } from '../status-view.tsx'
import { useChannel } from '../use-channel.ts'
import { Drawing } from './drawings.tsx'
import type { Setup } from './setup-run.ts'
import style from './setup.module.css'
import { setupTexts } from './texts.ts'
import { FIND_THE_BOT } from './instructions.ts'

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
      {server !== undefined && <p>{texts.invited(String(server))}</p>}
      {firstUser && <p className="soft">{texts.firstUser(firstUser.name)}</p>}
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
          <p className="soft">{texts.messageFrom(message.from.name ?? texts.unknownSender)}</p>
          <p className={style['bubble']}>{message.text === '' ? texts.file : message.text}</p>
          <Link to="/conversations/$id" params={{ id: message.conversation_id }}>
            {texts.toConversation} <Icon name="next" size={14} />
          </Link>
        </>
      )}
    </div>
  )
}

interface InviteProps {
  readonly setup: Setup
  readonly next?: ReactNode
}

/** Waits until the bot has been added to a server. */
export function SetupInvite({ setup, next }: InviteProps): ReactNode {
  const texts = useTexts(setupTexts)
  const [later, setLater] = useState(false)
  if (later) {
    return (
      <SetupEnd platform={setup.platform} sinceMs={setup.started_at} firstUser={null} facts={setup.facts} next={next} />
    )
  }
  return (
    <div className={style['columns']}>
      <div className={style['panel']}>
        <h2 tabIndex={-1} ref={focusOnMount} className={style['quiet']}>
          {texts.inviteTitle}
        </h2>
        <p>{texts.inviteLead}</p>
        <Row>
          {setup.url !== undefined && (
            <a className={buttonClass({ kind: 'primary' })} href={setup.url} target="_blank" rel="noreferrer">
              {texts.inviteOpen} <Icon name="external" size={16} />
              <span className="visually-hidden"> ({texts.opensNew})</span>
            </a>
          )}
          <Button onClick={() => setLater(true)}>{texts.inviteLater}</Button>
        </Row>
        <Waiting role="status">{texts.inviteWaiting}</Waiting>
      </div>
      <div className={style['steps']}>
        <Drawing name="discord_invite" />
      </div>
    </div>
  )
}

interface FailedProps {
  readonly setup?: Setup
  /** Why the setup couldn't start. */
  readonly error?: unknown
  onAgain(): void
}

/** The end of a failed setup, with its reason. */
export function SetupFailed({ setup, error, onAgain }: FailedProps): ReactNode {
  const texts = useTexts(setupTexts)
  const { language } = useLanguage()
  const isOld = setup?.error === 'expired' && setup.kind === 'qr'
  return (
    <>
      <h2 tabIndex={-1} ref={focusOnMount} className={style['quiet']}>
        {isOld ? texts.codeExpired : texts.failedTitle}
      </h2>
      {!isOld && (
        <Notice tone="bad" alert>
          <p>{setup === undefined ? errorMessage(error, language) : failureMessage(setup, texts, language)}</p>
          <p className="soft">{texts.otherWay}</p>
        </Notice>
      )}
      {setup?.saved === true && (
        <p>
          <Link to="/channels/$platform" params={{ platform: setup.platform }}>
            {texts.savedAnyway}
          </Link>
        </p>
      )}
      <div>
        <Button kind="primary" onClick={onAgain}>
          <Icon name="refresh" /> {isOld ? texts.getNewCode : texts.startAgain}
        </Button>
      </div>
    </>
  )
}

/** Returns why a setup ended, in the page's language. */
function failureMessage(
  { kind, error, message }: Setup,
  texts: ReturnType<typeof useTexts<(typeof setupTexts)['en']>>,
  language: Language,
): string {
  if (error === 'cancelled') return texts.cancelled
  if (error === 'expired' && kind !== 'qr') return kind === 'invite' ? texts.notInvited : texts.waitedTooLong
  return errorCodeMessage(error === 'internal' ? 'internal_error' : (error ?? ''), message, language)
}

/** A `ref` that focuses an element when it replaces a form. */
const focusOnMount = (node: HTMLElement | null): void => node?.focus({ preventScroll: true })
