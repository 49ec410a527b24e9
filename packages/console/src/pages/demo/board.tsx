import { type ReactNode, useState } from 'react'
import style from './board.module.css'
import { ChatPane } from './pane.tsx'
import { demoTexts } from './texts.ts'
import type { Demo } from './use-demo.ts'
import { useTexts } from '../../language/texts.ts'
import { isPlatform, PlatformMark, PlatformName } from '../../parts/platform.tsx'

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
