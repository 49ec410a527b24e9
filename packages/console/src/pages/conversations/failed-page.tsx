import { type ReactNode, useRef } from 'react'
import { FailedList } from './failed/failed-list.tsx'
import style from './failed/failed.module.css'
import { failedTexts } from './failed/texts.ts'
import { useList } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { Empty } from '../../parts/states.tsx'
import { ListBody } from '../../parts/table.tsx'

/** The page of failed messages. */
export function Page(): ReactNode {
  const texts = useTexts(failedTexts)
  const list = useList('listAllDeliveries', { query: { dead: 'true', limit: 30 } })
  const place = useRef<HTMLDivElement>(null)
  return (
    <Sheet title={texts.title} lead={texts.lead} back={{ to: '/conversations', label: texts.back }}>
      <div ref={place} className={style['place']} tabIndex={-1}>
        <ListBody
          list={list}
          empty={
            <Empty
              icon="check"
              title={texts.empty}
              actions={<ButtonLink to="/conversations">{texts.toConversations}</ButtonLink>}
            >
              {texts.emptyLead}
            </Empty>
          }
        >
          {(items) => <FailedList items={items} onDone={() => place.current?.focus()} />}
        </ListBody>
      </div>
    </Sheet>
  )
}
