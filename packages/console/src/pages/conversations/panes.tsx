import type { ReactNode } from 'react'
import { ConversationList } from './list/conversation-list.tsx'
import style from './panes.module.css'
import { conversationTexts } from './texts.ts'
import { Transcript } from './transcript/transcript.tsx'
import { useTexts } from '../../language/texts.ts'
import { Empty } from '../../parts/states.tsx'

/** The list next to a conversation; on a phone, one of them. @param selected `null`: none selected. */
export function Panes({ selected }: { readonly selected: string | null }): ReactNode {
  const texts = useTexts(conversationTexts)
  return (
    <div className={style['panes']} data-one={selected === null ? 'list' : 'conversation'}>
      <ConversationList selected={selected} />
      {selected === null ? (
        <div className={style['nothing']}>
          <Empty icon="conversations" title={texts.choose}>
            {texts.chooseLead}
          </Empty>
        </div>
      ) : (
        <Transcript key={selected} id={selected} />
      )}
    </div>
  )
}
