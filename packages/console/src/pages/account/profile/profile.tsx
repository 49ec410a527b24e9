import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { profileTexts } from './texts.ts'
import style from '../account.module.css'
import { useAccountQuery } from '../account-reads.ts'
import { useSession } from '../../../api/session.ts'
import { useTexts } from '../../../language/texts.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card, Facts, Row } from '../../../parts/layout.tsx'

/** The section of the profile and permissions. */
export function Profile(): ReactNode {
  const texts = useTexts(profileTexts)
  const { me } = useSession()
  const { data: session } = useAccountQuery('session')
  const scopes: Readonly<Record<string, string>> = texts.scopes
  return (
    <>
      <Card title={texts.title}>
        <Facts
          facts={[
            [texts.name, me.user?.name || null],
            [texts.email, me.user?.email || null],
            [texts.username, session?.user.username ?? null],
            [texts.account, <code key="account">{me.account}</code>],
            [texts.role, me.user?.staff === true ? texts.staff : texts.member],
            [texts.factors, <Factors key="factors" types={me.second_factors} />],
          ]}
        />
      </Card>
      <Card title={texts.may}>
        <ul className={style['rights']}>
          {me.scopes.map((scope) => (
            <li key={scope}>
              <Icon name="check" size={16} /> {scopes[scope] ?? scope}
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

function Factors({ types }: { readonly types: readonly string[] }): ReactNode {
  const texts = useTexts(profileTexts)
  const names: Readonly<Record<string, string>> = texts.factor
  const { data: config } = useAccountQuery('config')
  if (types.length === 0) {
    return (
      <Row>
        {texts.noFactors}
        {config?.mfa !== undefined && (
          <Link to="/account" search={{ section: 'security' }}>
            {texts.setUp}
          </Link>
        )}
      </Row>
    )
  }
  return (
    <Row>
      {types.map((type) => (
        <Badge key={type} tone="good">
          {names[type] ?? type}
        </Badge>
      ))}
    </Row>
  )
}
