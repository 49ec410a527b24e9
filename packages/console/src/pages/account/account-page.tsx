import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './account.module.css'
import { useAccountQuery } from './account-api.ts'
import { Connections } from './connections.tsx'
import { Emails } from './emails.tsx'
import { Password } from './password.tsx'
import { Profile } from './profile.tsx'
import { Tokens } from './tokens.tsx'
import { type Section, selectedSection, availableSections } from './sections.ts'
import { Security } from './security/security.tsx'
import { Sessions } from './sessions.tsx'
import { accountTexts } from './texts.ts'
import { useTexts } from '../../language/language.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'

const SECTION_PARTS: Readonly<Record<Section, readonly [IconName, () => ReactNode]>> = {
  profile: ['account', Profile],
  emails: ['send', Emails],
  password: ['key', Password],
  security: ['staff', Security],
  sessions: ['phone', Sessions],
  connections: ['link', Connections],
  programs: ['cable', Tokens],
}

/** The account page. */
export function Page(): ReactNode {
  const texts = useTexts(accountTexts)
  const config = useAccountQuery('config')
  const emails = useAccountQuery('emails')
  const { searchStr } = useLocation()
  return (
    <Sheet title={texts.title} lead={texts.lead}>
      <Loaded query={config} lines={8}>
        {(found) => {
          const sections = availableSections(found, { isByProviderAlone: emails.data === null })
          const section = selectedSection(searchStr, sections)
          const [, Part] = SECTION_PARTS[section]
          return (
            <div className={style['layout']}>
              <Sections sections={sections} shown={section} />
              <div className={style['sections']}>
                <Part key={section} />
              </div>
            </div>
          )
        }}
      </Loaded>
    </Sheet>
  )
}

function Sections({ sections, shown }: { readonly sections: readonly Section[]; readonly shown: Section }): ReactNode {
  const texts = useTexts(accountTexts)
  return (
    <nav aria-label={texts.sections}>
      <ul className={style['nav']}>
        {sections.map((section) => (
          <li key={section}>
            <Link
              to="/account"
              search={{ section }}
              className={style['link']}
              aria-current={section === shown ? 'page' : undefined}
              activeProps={{}}
              resetScroll={false}
            >
              <Icon name={SECTION_PARTS[section][0]} size={16} />
              {texts.section[section]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
