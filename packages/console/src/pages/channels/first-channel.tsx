import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './channels.module.css'
import { listTexts } from './texts.ts'
import { StartDemo } from '../demo/start-demo.tsx'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/language.ts'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/layout.tsx'
import { type Platform, PlatformMark, PlatformName } from '../../parts/platform.tsx'

/** The platforms, the easiest to set up first. */
const BY_EASE: readonly Platform[] = ['telegram', 'weixin', 'feishu', 'dingtalk', 'discord', 'wecom']

/** Lists the platforms with what each one needs. `onChoose` replaces the link to the setup page. */
export function PlatformChoice({ onChoose }: { readonly onChoose?: (platform: Platform) => void }): ReactNode {
  return (
    <ul className={style['choices']}>
      {BY_EASE.map((platform) => (
        <li key={platform} data-platform={platform}>
          {onChoose ? (
            <button type="button" className={style['choice']} onClick={() => onChoose(platform)}>
              <ChoiceBody platform={platform} />
            </button>
          ) : (
            <Link to="/channels/$platform/setup" params={{ platform }} className={style['choice']}>
              <ChoiceBody platform={platform} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function ChoiceBody({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(listTexts)
  return (
    <>
      <PlatformMark platform={platform} />
      <span className={style['choiceWords']}>
        <strong>
          <PlatformName platform={platform} />
        </strong>
        <span className="soft">{texts.needs[platform]}</span>
      </span>
      <Icon name="next" />
    </>
  )
}

/** Shown when no platform is connected. */
export function FirstChannel(): ReactNode {
  const texts = useTexts(listTexts)
  return (
    <section className={style['invitation']}>
      <div className={style['invitationWords']}>
        <h2>{texts.emptyTitle}</h2>
        <p className="soft">{texts.emptyLead}</p>
      </div>
      <PlatformChoice />
    </section>
  )
}

/** A card that starts a demo next to this service. */
export function DemoLink(): ReactNode {
  const texts = useTexts(listTexts)
  const { service } = useSession()
  if (service.demo) return null
  return (
    <Card title={texts.demoTitle}>
      <p className="soft">{texts.demoLead}</p>
      <StartDemo />
    </Card>
  )
}
