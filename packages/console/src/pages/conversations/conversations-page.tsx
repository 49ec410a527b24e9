import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ConversationList } from './conversation-list.tsx'
import style from './panes.module.css'
import { conversationTexts } from './texts.ts'
import { Transcript } from './transcript.tsx'
import { useTexts } from '../../language/language.ts'
import { useWindowTitle } from '../../parts/layout.tsx'
import { Empty } from '../../parts/states.tsx'

/** The conversations page: the list next to the selected conversation. A phone shows one of them. */
export function Page(): ReactNode {
  const { id } = useParams({ strict: false })
  return (
    <div className={style['panes']} data-one={id === undefined ? 'list' : 'conversation'}>
      <ConversationList selected={id ?? null} />
      {id === undefined ? <NoConversation /> : <Transcript key={id} id={id} />}
    </div>
  )
}

function NoConversation(): ReactNode {
  const texts = useTexts(conversationTexts)
  useWindowTitle(texts.title)
  return (
    <div className={style['nothing']}>
      <Empty icon="conversations" title={texts.choose}>
        {texts.chooseLead}
      </Empty>
    </div>
  )
}
