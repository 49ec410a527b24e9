import type { ReactNode } from 'react'
import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { defineTexts, useTexts } from '../../language/language.ts'
import { Button, CopyButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failure } from '../../parts/states.tsx'
import style from './start-demo.module.css'

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

/** Texts of the button that starts a demo. */
const startDemoTexts = defineTexts({
  en: {
    start: 'Start demo',
    starting: 'Starting demo…',
    byHand: 'Run this on the machine where Gatepost is installed:',
    copy: 'Copy command',
  },
  zh: {
    start: '启动演示',
    starting: '正在启动演示…',
    byHand: '请在安装了 Gatepost 的机器上运行：',
    copy: '复制命令',
  },
})
