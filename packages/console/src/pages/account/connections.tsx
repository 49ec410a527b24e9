import { type Flow, type ProviderAccount, redirectToProvider } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { accountClient, accountsUrl, serviceUrl } from '../../api/client.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { Card, Row } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import { ProblemNotice } from './account-action.tsx'
import { callAccountApi, InputRejected, setAccountQuery, useAccountQuery } from './account-api.ts'
import style from './account.module.css'
import { LongList } from './panel.tsx'
import { useConfirmedAction, useNotifiedAction, useReauthenticate } from './reauthentication.tsx'

/** The section of connected accounts. */
export function Connections(): ReactNode {
  const texts = useTexts(connectionTexts)
  const accounts = useAccountQuery('providers')
  return (
    <>
      <ConnectFailure />
      <Card title={texts.title}>
        <p className={style['soft']}>{texts.lead}</p>
        <Loaded query={accounts}>
          {(found) =>
            found.length === 0 ? (
              <p>{texts.none}</p>
            ) : (
              <LongList items={found} itemKey={({ provider, uid }) => `${provider.id} ${uid}`}>
                {(account) => <AccountRow account={account} />}
              </LongList>
            )
          }
        </Loaded>
      </Card>
      <ConnectAccount />
    </>
  )
}

function AccountRow({ account: { provider, uid, display } }: { readonly account: ProviderAccount }): ReactNode {
  const texts = useTexts(connectionTexts)
  const client = useQueryClient()
  const { run, isBusy, problem } = useConfirmedAction(async () => {
    const { data } = await callAccountApi(() =>
      accountClient().disconnectProvider({ provider: provider.id, account: uid }),
    )
    setAccountQuery(client, 'providers', data)
    notify(texts.disconnected(provider.name))
  })
  const account = `${provider.name} ${display}`
  return (
    <>
      <div className={style['what']}>
        <span className={style['name']}>{provider.name}</span>
        <span className={style['detail']}>{display}</span>
      </div>
      <ConfirmButton
        small
        act={texts.disconnect}
        label={texts.disconnectLabel(account)}
        title={texts.disconnectTitle(provider.name)}
        lead={texts.disconnectLead(display)}
        busy={isBusy}
        onConfirm={() => run()}
      />
      {problem !== null && <DisconnectProblem problem={problem} />}
    </>
  )
}

/** Shows why an account can't be disconnected, with a link to set up another way to sign in. */
function DisconnectProblem({ problem }: { readonly problem: unknown }): ReactNode {
  const texts = useTexts(connectionTexts)
  const codes = problem instanceof InputRejected ? problem.refusals.map(({ code }) => code) : []
  const needsPassword = codes.some((code) => code === 'no_password' || code === 'disconnect_last')
  return (
    <div className={style['full']}>
      <ProblemNotice problem={problem} />
      {needsPassword && (
        <ButtonLink small to="/account" search={{ section: 'password' }}>
          {texts.setPassword}
        </ButtonLink>
      )}
      {codes.includes('no_verified_email') && (
        <ButtonLink small to="/account" search={{ section: 'emails' }}>
          {texts.verifyEmail}
        </ButtonLink>
      )}
    </div>
  )
}

/** Redirects to a provider, which returns to this section. */
async function startConnecting(provider: string): Promise<void> {
  redirectToProvider({
    baseUrl: accountsUrl(),
    provider,
    callbackUrl: serviceUrl('console/account?section=connections'),
    process: 'connect',
    csrfToken: await accountClient().csrfToken(),
  })
}

/** Shows why connecting failed, by the error code in the URL. */
function ConnectFailure(): ReactNode {
  const texts = useTexts(connectionTexts)
  const { searchStr } = useLocation()
  const code = new URLSearchParams(searchStr).get('error')
  if (code === null) return null
  if (code === 'reauthentication_required') return <ReauthenticateFirst />
  const known: Readonly<Record<string, string | undefined>> = texts.failed
  return (
    <Notice tone="bad" alert>
      {known[code] ?? texts.failedElse(code.slice(0, 60))}
    </Notice>
  )
}

function ReauthenticateFirst(): ReactNode {
  const texts = useTexts(connectionTexts)
  const reauthenticate = useReauthenticate()
  const navigate = useNavigate()
  const { data: session } = useAccountQuery('session')
  const { data: config } = useAccountQuery('config')
  const { data: factors = [] } = useAccountQuery('factors', config?.mfa !== undefined)
  const types = [...new Set(factors.map(({ type }) => type))]
  const flows: readonly Flow[] = [
    ...(session?.user.has_usable_password === true ? [{ id: 'reauthenticate' as const }] : []),
    ...(types.length > 0 ? [{ id: 'mfa_reauthenticate' as const, types }] : []),
  ]
  const confirm = async (): Promise<void> => {
    if (await reauthenticate(flows))
      await navigate({ to: '/account', search: { section: 'connections' }, replace: true })
  }
  return (
    <Notice tone="warn" alert>
      <p>{texts.confirmFirst}</p>
      <div>
        <Button small kind="primary" onClick={() => void confirm()}>
          {texts.confirm}
        </Button>
      </div>
    </Notice>
  )
}

/** Lists the providers that can be connected. */
function ConnectAccount(): ReactNode {
  const texts = useTexts(connectionTexts)
  const providers = useAccountQuery('config').data?.socialaccount?.providers ?? []
  const reachable = providers.filter(({ flows }) => flows.includes('provider_redirect'))
  const { run, isBusy } = useNotifiedAction(startConnecting)
  return (
    <Card title={texts.connect}>
      {reachable.length === 0 ? (
        <p>{texts.noProviders}</p>
      ) : (
        <Row>
          {reachable.map(({ id, name }) => (
            <Button key={id} busy={isBusy} onClick={() => run(id)}>
              {texts.connectTo(name)}
            </Button>
          ))}
        </Row>
      )}
    </Card>
  )
}

/** Texts of connected accounts. */
const connectionTexts = defineTexts({
  en: {
    title: 'Connected accounts',
    lead: 'You can use these accounts to sign in.',
    none: 'No connected accounts.',
    noProviders: 'No social login providers are set up.',
    disconnect: 'Disconnect',
    disconnectLabel: (account: string) => `Disconnect ${account}`,
    disconnectTitle: (provider: string) => `Disconnect ${provider}?`,
    disconnectLead: (account: string) => `You'll no longer be able to sign in with ${account}.`,
    disconnected: (provider: string) => `${provider} disconnected.`,
    connect: 'Connect an account',
    connectTo: (provider: string) => `Connect ${provider}`,
    confirmFirst: "Confirm it's you before connecting an account.",
    confirm: 'Confirm',
    failed: {
      cancelled: 'Connection canceled.',
      connected_other: 'This account is already connected to another user.',
      permission_denied: "You can't connect this provider.",
    },
    failedElse: (code: string) => `Couldn't connect the account (${code}). Try again, or ask your administrator.`,
    setPassword: 'Set a password',
    verifyEmail: 'Verify an email address',
  },
  zh: {
    title: '关联账号',
    lead: '可使用以下账号登录。',
    none: '暂无关联账号。',
    noProviders: '管理员尚未配置第三方登录。',
    disconnect: '取消关联',
    disconnectLabel: (account) => `取消关联 ${account}`,
    disconnectTitle: (provider) => `取消关联 ${provider}？`,
    disconnectLead: (account) => `取消后将无法使用 ${account} 登录。`,
    disconnected: (provider) => `已取消关联 ${provider}。`,
    connect: '关联账号',
    connectTo: (provider) => `关联 ${provider}`,
    confirmFirst: '关联账号前，请先验证身份。',
    confirm: '验证',
    failed: {
      cancelled: '已取消关联。',
      connected_other: '该账号已关联到其他用户。',
      permission_denied: '无法关联此服务。',
    },
    failedElse: (code) => `关联失败（${code}）。请重试，或联系管理员。`,
    setPassword: '设置密码',
    verifyEmail: '验证邮箱',
  },
})
