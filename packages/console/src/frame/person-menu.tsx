import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './frame.module.css'
import { frameTexts } from './texts.ts'
import { changeTheme, THEMES, useTheme } from './theme.ts'
import { address } from '../api/address.ts'
import { signOut, useSession } from '../api/session.ts'
import { type Language, LANGUAGE_TAGS, LANGUAGES, useLanguage } from '../language/language.ts'
import { useTexts } from '../language/texts.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'

/** Who is signed in, and how the console looks to them. */
export function PersonMenu(): ReactNode {
  const texts = useTexts(frameTexts)
  const { me } = useSession()
  const theme = useTheme()
  const { language, change } = useLanguage()
  const name = me.user?.name || me.user?.email || me.account
  const trigger = (
    <button type="button" className={style['person']} aria-label={texts.accountMenu(name)}>
      <span className={style['avatar']} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className={style['name']}>{name}</span>
      <Icon name="more" />
    </button>
  )
  return (
    <Menu trigger={trigger}>
      <MenuItem render={<Link to="/account" />}>
        <Icon name="account" /> {texts.account}
      </MenuItem>
      <MenuItem render={<a href={address('api/docs')} />}>
        <Icon name="external" /> {texts.apiReference}
      </MenuItem>
      <div className={style['menuGroup']}>{texts.theme}</div>
      {THEMES.map((one) => (
        <MenuItem key={one} onClick={() => changeTheme(one)}>
          {texts.themes[one]}
          {one === theme && <Chosen />}
        </MenuItem>
      ))}
      <div className={style['menuGroup']}>{texts.language}</div>
      {Object.entries(LANGUAGES).map(([one, label]) => (
        <MenuItem key={one} onClick={() => change(one as Language)}>
          {/* its keys are the languages */}
          <span lang={LANGUAGE_TAGS[one as Language]}>{label}</span>
          {one === language && <Chosen />}
        </MenuItem>
      ))}
      <MenuItem onClick={() => void signOut()}>
        <Icon name="back" /> {texts.signOut}
      </MenuItem>
    </Menu>
  )
}

const Chosen = (): ReactNode => (
  <span className={style['checked']}>
    <Icon name="check" size={16} />
  </span>
)
