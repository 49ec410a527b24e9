import type { ReactNode } from 'react'
import { ChatBoard } from './board.tsx'
import { GatewayStatus } from './gateway-line.tsx'
import { Guide } from './guide.tsx'
import { StartDemo } from './start-demo.tsx'
import { demoTexts } from './texts.ts'
import { type Demo, useClearFaults, useSendAs } from './use-demo.ts'
import { LiveDemoContext, useLiveDemo, useDemoStore } from './use-live.ts'
import { ApiError } from '../../api/api-error.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'

/** The demo page: six emulated platforms connected to the real service and an assistant. */
export function Page(): ReactNode {
  const texts = useTexts(demoTexts)
  const demo = useCall('getDemo', {})
  if (demo.error instanceof ApiError && demo.error.code === 'no_demo') {
    return (
      <Sheet title={texts.none} lead={texts.noneLead}>
        <StartDemo kind="primary" />
      </Sheet>
    )
  }
  if (demo.data === undefined) {
    return (
      <Sheet title={texts.title} lead={texts.lead} wide>
        <Loaded of={demo} lines={8}>
          {() => null}
        </Loaded>
      </Sheet>
    )
  }
  return <RunningDemo demo={demo.data} />
}

function RunningDemo({ demo }: { readonly demo: Demo }): ReactNode {
  const store = useDemoStore()
  const texts = useTexts(demoTexts)
  return (
    <LiveDemoContext value={store}>
      <Sheet title={texts.title} lead={texts.lead} wide actions={<Actions demo={demo} />}>
        <ConnectionNotice />
        <Guide demo={demo} />
        <GatewayStatus demo={demo} />
        <ChatBoard demo={demo} />
      </Sheet>
    </LiveDemoContext>
  )
}

function ConnectionNotice(): ReactNode {
  const texts = useTexts(demoTexts)
  const line = useLiveDemo((live) => live.line)
  return line === 'broken' ? <Notice tone="warn">{texts.lost}</Notice> : null
}

/** Actions on all platforms. */
function Actions({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  const panes = useLiveDemo((live) => live.panes)
  const normal = useClearFaults()
  const say = useSendAs()
  const names = demo.platforms.map(({ platform }) => platform)
  const troubled = names.filter((platform) => (panes[platform]?.faults.length ?? 0) > 0)
  const connected = names.filter((platform) => panes[platform]?.connected)
  const [first] = demo.people
  const sayHello = (): void => {
    for (const platform of connected) if (first) say.mutate({ platform, from: first, text: texts.hello })
  }
  return (
    <>
      {troubled.length > 0 && (
        <Button busy={normal.isPending} onClick={() => normal.mutate(troubled)}>
          {texts.allNormal}
        </Button>
      )}
      <Button kind="primary" disabled={connected.length === 0} onClick={sayHello}>
        {connected.length === 6 ? texts.helloAll : texts.helloSome}
      </Button>
    </>
  )
}
