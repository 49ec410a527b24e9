import type { ReactNode } from 'react'
import { demoTexts } from './texts.ts'
import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/states.tsx'

/** Starts a demo beside this service and goes there; says how where it cannot be started from a browser. */
export function StartDemo({ kind = 'secondary' }: { readonly kind?: 'primary' | 'secondary' }): ReactNode {
  const texts = useTexts(demoTexts)
  const { service } = useSession()
  const start = useChange('startDemo')
  if (!service.can_start_demo) return <p>{texts.byHand}</p>
  const go = (): void => start.mutate(undefined, { onSuccess: ({ url }) => location.assign(url) })
  return (
    <>
      <Button kind={kind} busy={start.isPending} onClick={go}>
        {start.isPending ? texts.starting : texts.startHere}
      </Button>
      {start.error !== null && <Failure error={start.error} />}
    </>
  )
}
