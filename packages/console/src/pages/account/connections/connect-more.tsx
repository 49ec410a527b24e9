import type { ReactNode } from 'react'
import { startConnecting } from './begin.ts'
import { connectionTexts } from './texts.ts'
import { useAccountQuery } from '../account-reads.ts'
import { useNotifiedAction } from '../act.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Card, Row } from '../../../parts/layout.tsx'

/** Lists the providers one can connect. */
export function ConnectAccount(): ReactNode {
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
