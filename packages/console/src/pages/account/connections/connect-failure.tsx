import type { Flow } from '@gatepost/auth/client'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { connectionTexts } from './texts.ts'
import { useRead } from '../account-reads.ts'
import { useAskPerson } from '../confirming/confirmed.ts'
import { useTexts } from '../../../language/texts.ts'
import { Notice } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'

/** What somebody is told who came back from a provider with nothing. The address says it by its code. */
export function ConnectFailure(): ReactNode {
  const texts = useTexts(connectionTexts)
  const { searchStr } = useLocation()
  const code = new URLSearchParams(searchStr).get('error')
  if (code === null) return null
  if (code === 'reauthentication_required') return <ConfirmFirst />
  const known: Readonly<Record<string, string | undefined>> = texts.failed
  return (
    <Notice tone="bad" alert>
      {known[code] ?? texts.failedElse(code.slice(0, 60))}
    </Notice>
  )
}

function ConfirmFirst(): ReactNode {
  const texts = useTexts(connectionTexts)
  const askPerson = useAskPerson()
  const navigate = useNavigate()
  const { data: session } = useRead('session')
  const { data: config } = useRead('config')
  const { data: factors = [] } = useRead('factors', config?.mfa !== undefined)
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
