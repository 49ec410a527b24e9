import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import style from './frame.module.css'
import { frameTexts } from './texts.ts'
import { AccountMenu } from './person-menu.tsx'
import { useLiveUpdates } from './news.ts'
import { useFocusRestoration } from './use-kept-focus.ts'
import { usePageFocus } from './use-page-focus.ts'
import { useStreamState } from '../api/events.ts'
import { useCall } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useViewedAccount, viewAccount } from '../api/viewed-account.ts'
import { useTexts } from '../language/texts.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Toasts } from '../parts/toast.tsx'

/** The frame around every page: navigation, account menu and banners. */
export function Frame(): ReactNode {
  const texts = useTexts(frameTexts)
  const main = useRef<HTMLElement>(null)
  useLiveUpdates()
  usePageFocus()
  useFocusRestoration()
  return (
    <div className={style['frame']}>
      <button
        type="button"
        className={`${buttonClass({ kind: 'primary' })} ${style['skip']}`}
        onClick={() => main.current?.focus()}
      >
        {texts.skip}
      </button>
      <Sidebar />
      <div className={style['content']}>
        <div>
          <Banners />
        </div>
        <main ref={main} className={style['main']} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Toasts />
    </div>
  )
}

/** The sidebar; on a phone, a bar with a menu button. */
function Sidebar(): ReactNode {
  const texts = useTexts(frameTexts)
  const { pathname } = useLocation()
  // on a phone: open until the path changes
  const [openAt, setOpenAt] = useState<string | null>(null)
  const isOpen = openAt === pathname
  const header = useRef<HTMLElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const close = ({ key, target }: KeyboardEvent): void => {
      if (key !== 'Escape' || !(target instanceof Node) || header.current?.contains(target) !== true) return
      setOpenAt(null)
      toggle.current?.focus()
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [isOpen])
  return (
    <header ref={header} className={style['banner']}>
      <div className={style['top']}>
        <Brand />
        <Button
          ref={toggle}
          icon
          kind="quiet"
          aria-label={texts.menu}
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpenAt(isOpen ? null : pathname)}
        >
          <Icon name={isOpen ? 'close' : 'menu'} size={22} />
        </Button>
      </div>
      <div className={style['side']} id="pages" data-open={isOpen}>
        <Brand />
        <Navigation />
        <AccountMenu />
      </div>
    </header>
  )
}

const Brand = (): ReactNode => (
  <Link to="/" className={style['brand']}>
    <img src="assets/mark.svg" alt="" width="26" height="26" />
    Gatepost
  </Link>
)

const PAGES = [
  ['channels', '/channels', 'channels'],
  ['conversations', '/conversations', 'conversations'],
  ['send', '/send', 'send'],
  ['figures', '/figures', 'figures'],
  ['doctor', '/doctor', 'doctor'],
] as const satisfies readonly (readonly [string, string, IconName])[]
const STAFF_PAGES = [
  ['assistant', '/assistant', 'assistant'],
  ['logs', '/logs', 'logs'],
  ['staff', '/staff', 'staff'],
] as const satisfies readonly (readonly [string, string, IconName])[]

function Navigation(): ReactNode {
  const texts = useTexts(frameTexts)
  const { isStaff, service } = useSession()
  const pages = [
    ...(service.demo ? ([['demo', '/demo', 'demo']] as const) : []),
    ...PAGES,
    ...(isStaff ? STAFF_PAGES : []),
  ]
  return (
    <nav aria-label={texts.navigation}>
      <ul className={style['nav']}>
        {pages.map(([name, to, icon]) => (
          <li key={name}>
            <Link to={to} className={style['link']}>
              <Icon name={icon} />
              {texts.pages[name]}
              {name === 'conversations' && <FailedCount />}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** The number of failed messages. */
function FailedCount(): ReactNode {
  const { data } = useCall('listAllDeliveries', { query: { dead: 'true', limit: 20 } })
  const count = data?.items.length ?? 0
  return count === 0 ? null : <span className={style['count']}>{count}</span>
}

/** Banners shown on every page. */
function Banners(): ReactNode {
  const texts = useTexts(frameTexts)
  const line = useStreamState()
  const account = useViewedAccount()
  const { me } = useSession()
  return (
    <>
      {line === 'broken' && (
        <div className={style['strip']} role="status">
          <Icon name="warn" /> {texts.broken}
        </div>
      )}
      {account !== null && (
        <div className={style['strip']}>
          {texts.viewing(account)}
          <Button small onClick={() => viewAccount(null)}>
            {texts.viewOwn}
          </Button>
        </div>
      )}
      {me.second_factor_required && (
        <div className={style['strip']}>
          {texts.factorNeeded}
          <Link to="/account" search={{ section: 'security' }}>
            {texts.setUpFactor}
          </Link>
        </div>
      )}
    </>
  )
}
