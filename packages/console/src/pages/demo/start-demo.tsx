import type { ReactNode } from 'react'
import { startDemoTexts } from './start-demo-texts.ts'
import style from './start-demo.module.css'
import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failure } from '../../parts/states.tsx'

const COMMAND = 'npx gatepost demo'

/** Starts a demo and opens it, or shows the command where the browser can't start one. */
export function StartDemo({ kind = 'secondary' }: { readonly kind?: 'primary' | 'secondary' }): ReactNode {
  const texts = useTexts(startDemoTexts)
  const { service } = useSession()
  const { mutate, isPending, isSuccess, error } = useChange('startDemo')
  if (!service.can_start_demo)
    return (
      <div className={style['command']}>
        <span>{texts.byHand}</span>
        <code>{COMMAND}</code>
        <CopyButton text={COMMAND} label={texts.copy} />
      </div>
    )
  const isStarting = isPending || isSuccess // until the browser has left
  const start = (): void => mutate(undefined, { onSuccess: ({ url }) => location.assign(url) })
  return (
    <div className={style['start']}>
      <Button kind={kind} busy={isStarting} onClick={start}>
        <Icon name="demo" /> {isStarting ? texts.starting : texts.start}
      </Button>
      {error !== null && <Failure error={error} />}
    </div>
  )
}
