import type { ReactNode } from 'react'
import { beginToConnect } from './begin.ts'
import { connectionTexts } from './texts.ts'
import { useRead } from '../account-reads.ts'
import { useToldAct } from '../act.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Card, Row } from '../../../parts/layout.tsx'

/** The providers at which one may have another account. */
export function ConnectMore(): ReactNode {
  const texts = useTexts(connectionTexts)
  const providers = useRead('config').data?.socialaccount?.providers ?? []
  const reachable = providers.filter(({ flows }) => flows.includes('provider_redirect'))
  const { run, isBusy } = useToldAct(beginToConnect)
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
