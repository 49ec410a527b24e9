import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './staff.module.css'
import { staffTexts } from './texts.ts'
import { StaffOnly } from '../../frame/lost.tsx'
import { useTexts } from '../../language/texts.ts'
import { Page } from '../../parts/layout.tsx'

const TABS = [
  ['people', '/staff'],
  ['socialApps', '/staff/social-apps'],
  ['clients', '/staff/clients'],
  ['audit', '/staff/audit'],
] as const
type Tab = (typeof TABS)[number][0]

/** A staff page, below the tabs. */
export function StaffPage({
  tab,
  actions,
  children,
}: {
  readonly tab: Tab
  readonly actions?: ReactNode
  readonly children: ReactNode
}): ReactNode {
  const texts = useTexts(staffTexts)
  return (
    <StaffOnly>
      <Page title={texts.title} windowTitle={texts.tabs[tab]} actions={actions}>
        <nav aria-label={texts.sections} className={style['tabs']}>
          {TABS.map(([name, to]) => (
            <Link key={name} to={to} activeOptions={{ exact: true }} className={style['tab']}>
              {texts.tabs[name]}
            </Link>
          ))}
        </nav>
        {children}
      </Page>
    </StaffOnly>
  )
}
