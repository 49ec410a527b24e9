import type { ProviderAccount } from '@gatepost/auth/client'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConnectFailure } from './connect-failure.tsx'
import { ConnectAccount } from './connect-more.tsx'
import { connectionTexts } from './texts.ts'
import style from '../account.module.css'
import { callAccountApi, InputRejected } from '../account-problem.ts'
import { setAccountQuery, useAccountQuery } from '../account-reads.ts'
import { useConfirmedAction } from '../act.ts'
import { ConfirmButton } from '../asked-button.tsx'
import { LongList } from '../long-list.tsx'
import { ProblemNotice } from '../problem.tsx'
import { accountClient } from '../../../api/account-client.ts'
import { useTexts } from '../../../language/texts.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'
import { notify } from '../../../parts/toast.tsx'

/** The section of connected accounts. */
export function Connections(): ReactNode {
  const texts = useTexts(connectionTexts)
  const accounts = useAccountQuery('providers')
  return (
    <>
      <ConnectFailure />
      <Card title={texts.title}>
        <p className={style['soft']}>{texts.lead}</p>
        <Loaded of={accounts}>
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
      accountClient.disconnectProvider({ provider: provider.id, account: uid }),
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
        label={texts.disconnectOf(account)}
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
