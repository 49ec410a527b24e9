import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { serviceUrl } from '../api/client.ts'
import { useCall } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { useStreamState } from '../api/streams.ts'
import { useViewedAccount, viewAccount } from '../api/viewed-account.ts'
import { storedText } from '../browser-storage.ts'
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, useLanguage, useTexts } from '../language/language.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx'
import { Toasts } from '../parts/toast.tsx'
import style from './frame.module.css'
import { useLiveUpdates } from './live-updates.ts'
import { frameTexts } from './texts.ts'
import { useFocusRestoration, usePageFocus } from './focus.ts'
import { useSignOut } from './use-sign-out.ts'

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
  ['analytics', '/analytics', 'analytics'],
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
  const stream = useStreamState()
  const account = useViewedAccount()
  const { me } = useSession()
  return (
    <>
      {stream === 'broken' && (
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

/** Account menu with theme, language and sign-out. */
function AccountMenu(): ReactNode {
  const texts = useTexts(frameTexts)
  const { me } = useSession()
  const theme = useTheme()
  const signOut = useSignOut()
  const { language, change } = useLanguage()
  const name = me.user?.name || me.user?.email || me.account
  const trigger = (
    <button type="button" className={style['person']} aria-label={texts.accountMenu(name)}>
      <span className={style['avatar']} data-letter={name.slice(0, 1).toUpperCase()} aria-hidden="true" />
      <span className={style['name']}>{name}</span>
      <Icon name="more" />
    </button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuItem render={<Link to="/account" />}>
        <Icon name="account" /> {texts.account}
      </MenuItem>
      <MenuItem render={<a href={serviceUrl('api/docs')} />}>
        <Icon name="external" /> {texts.apiReference}
      </MenuItem>
      <MenuChoice
        label={texts.theme}
        value={theme}
        options={THEMES.map((one) => [one, texts.themes[one]])}
        onChange={changeTheme}
      />
      <MenuChoice
        label={texts.language}
        value={language}
        options={LANGUAGE_NAMES.map((one) => [
          one,
          <span key={one} lang={LANGUAGE_TAGS[one]}>
            {LANGUAGES[one]}
          </span>,
        ])}
        onChange={change}
      />
      <MenuItem onClick={signOut}>
        <Icon name="back" /> {texts.signOut}
      </MenuItem>
    </Menu>
  )
}

/** `system` follows the device's setting. */
const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const storedTheme = storedText('browser', 'gatepost-theme')
const watchers = new Set<() => void>()

function readTheme(): Theme {
  const stored = storedTheme.get()
  return THEMES.find((theme) => theme === stored) ?? 'system'
}

/** Applies the theme stored in this browser. */
export function applyTheme(): void {
  document.documentElement.dataset['theme'] = readTheme()
}

/** Stores and applies a theme. */
function changeTheme(theme: Theme): void {
  storedTheme.set(theme)
  applyTheme()
  for (const changed of watchers) changed()
}

/** Returns the selected theme. */
const useTheme = (): Theme =>
  useSyncExternalStore((changed) => {
    watchers.add(changed)
    return () => watchers.delete(changed)
  }, readTheme)
