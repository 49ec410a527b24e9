import type { Flow } from '@gatepost/auth/client'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { connectionTexts } from './texts.ts'
import { useAccountQuery } from '../account-reads.ts'
import { useReauthenticate } from '../confirming/confirmed.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'

/** Shows why connecting failed, by the error code in the URL. */
export function ConnectFailure(): ReactNode {
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
  const askPerson = useReauthenticate()
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
    if (await askPerson(flows)) await navigate({ to: '/account', search: { section: 'connections' }, replace: true })
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
