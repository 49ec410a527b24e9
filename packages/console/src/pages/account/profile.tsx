import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Badge } from '../../parts/badge.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card, Facts, Row } from '../../parts/layout.tsx'
import { useAccountQuery } from './account-api.ts'
import style from './account.module.css'

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

/** Texts of the profile. */
const profileTexts = defineTexts({
  en: {
    title: 'Profile',
    name: 'Name',
    email: 'Email',
    username: 'Username',
    account: 'Account ID',
    role: 'Role',
    staff: 'Staff',
    member: 'Member',
    factors: 'Two-factor authentication',
    noFactors: 'Not set up',
    factor: { totp: 'Authenticator app', webauthn: 'Passkey or security key', recovery_codes: 'Recovery codes' },
    may: 'Permissions',
    scopes: {
      'channels:read': 'View your channels and conversations',
      'channels:write': 'Set up, enable, and disable your channels',
      'channels:send': 'Send messages on your channels',
      account: 'Manage your account and personal access tokens',
      admin: 'Manage all accounts as staff',
    },
    setUp: 'Set up',
  },
  zh: {
    title: '个人资料',
    name: '姓名',
    email: '邮箱',
    username: '用户名',
    account: '账号 ID',
    role: '角色',
    staff: '管理员',
    member: '普通成员',
    factors: '两步验证',
    noFactors: '尚未设置',
    factor: { totp: '身份验证器', webauthn: '通行密钥或安全密钥', recovery_codes: '恢复码' },
    may: '权限',
    scopes: {
      'channels:read': '查看您的渠道和会话',
      'channels:write': '设置、启用和停用您的渠道',
      'channels:send': '通过您的渠道发送消息',
      account: '管理您的账号和个人访问令牌',
      admin: '以管理员身份管理所有账号',
    },
    setUp: '去设置',
  },
})
