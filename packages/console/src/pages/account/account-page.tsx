import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import style from './account.module.css'
import { useRead } from './account-reads.ts'
import { Confirming } from './confirming/confirming.tsx'
import { Connections } from './connections/connections.tsx'
import { Emails } from './emails/emails.tsx'
import { Password } from './password/password.tsx'
import { Profile } from './profile/profile.tsx'
import { Programs } from './programs/programs.tsx'
import { type Section, sectionIn, sectionsOf } from './sections.ts'
import { Security } from './security/security.tsx'
import { Sessions } from './sessions/sessions.tsx'
import { accountTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'

const SECTION: Readonly<Record<Section, readonly [IconName, () => ReactNode]>> = {
  profile: ['account', Profile],
  emails: ['send', Emails],
  password: ['key', Password],
  security: ['staff', Security],
  sessions: ['phone', Sessions],
  connections: ['link', Connections],
  programs: ['cable', Programs],
}

/** One's own account. */
export function Page(): ReactNode {
  const texts = useTexts(accountTexts)
  const config = useRead('config')
  const emails = useRead('emails')
  const { searchStr } = useLocation()
  return (
    <Sheet title={texts.title} lead={texts.lead}>
      <Confirming>
        <Loaded of={config} lines={8}>
          {(found) => {
            const sections = sectionsOf(found, { isByProviderAlone: emails.data === null })
            const section = sectionIn(searchStr, sections)
            const [, Part] = SECTION[section]
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
      </Confirming>
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
              <Icon name={SECTION[section][0]} size={16} />
              {texts.section[section]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
