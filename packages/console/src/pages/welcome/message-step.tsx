import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { welcomeTexts } from './texts.ts'
import style from './welcome.module.css'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Icon } from '../../parts/icon.tsx'
import { PlatformMark } from '../../parts/platform.tsx'
import { Waiting } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'

/** The step that waits for the first message. */
export function MessageStep({ isConnected }: { readonly isConnected: boolean }): ReactNode {
  const texts = useTexts(welcomeTexts)
  const { data } = useCall('listConversations', { query: { limit: 1 } })
  const [newest] = data?.items ?? []
  if (newest === undefined)
    return isConnected ? (
      <Waiting>{texts.messageLead}</Waiting>
    ) : (
      <p className={style['summary']}>{texts.messageWait}</p>
    )
  return (
    <div className={style['message']}>
      <div className={style['who']}>
        <PlatformMark platform={newest.platform} small />
        <strong>{newest.chat.title ?? newest.people[0]?.name ?? texts.person}</strong>
        {newest.last && (
          <span className="soft">
            <RelativeTime at={newest.last.at} />
          </span>
        )}
      </div>
      {newest.last && (
        <p role="status" className={style['bubble']} data-by={newest.last.by}>
          <span className="soft">{newest.last.by === 'bot' ? texts.bot : (newest.last.name ?? texts.person)}</span>
          {newest.last.text}
        </p>
      )}
      <Link to="/conversations/$id" params={{ id: newest.id }}>
        {texts.toConversation} <Icon name="next" size={14} />
      </Link>
    </div>
  )
}
