import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './frame.module.css'
import { frameTexts } from './texts.ts'
import { changeTheme, THEMES, useTheme } from './theme.ts'
import { useSignOut } from './use-sign-out.ts'
import { serviceUrl } from '../api/address.ts'
import { useSession } from '../api/session.ts'
import { LANGUAGE_NAMES, LANGUAGE_TAGS, LANGUAGES, useLanguage } from '../language/language.ts'
import { useTexts } from '../language/texts.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx'

/** Account menu with theme, language and sign-out. */
export function AccountMenu(): ReactNode {
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
