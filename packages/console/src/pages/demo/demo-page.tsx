import type { ReactNode } from 'react'
import { Board } from './board.tsx'
import { GatewayLine } from './gateway-line.tsx'
import { Guide } from './guide.tsx'
import { StartDemo } from './start-demo.tsx'
import { demoTexts } from './texts.ts'
import { type Demo, useNormal, useSay } from './use-demo.ts'
import { LiveDemoContext, useLive, useStartedDemo } from './use-live.ts'
import { ApiError } from '../../api/api-error.ts'
import { useCall } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Notice } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Page as Sheet } from '../../parts/layout.tsx'
import { Loaded } from '../../parts/states.tsx'

/** The demo: six emulated platforms side by side, with the real service between them and the assistant. */
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
  return <Running demo={demo.data} />
}

function Running({ demo }: { readonly demo: Demo }): ReactNode {
  const store = useStartedDemo()
  const texts = useTexts(demoTexts)
  return (
    <LiveDemoContext value={store}>
      <Sheet title={texts.title} lead={texts.lead} wide actions={<Actions demo={demo} />}>
        <Line />
        <Guide demo={demo} />
        <GatewayLine demo={demo} />
        <Board demo={demo} />
      </Sheet>
    </LiveDemoContext>
  )
}

function Line(): ReactNode {
  const texts = useTexts(demoTexts)
  const line = useLive((live) => live.line)
  return line === 'broken' ? <Notice tone="warn">{texts.lost}</Notice> : null
}

/** What is done to all platforms at once. */
function Actions({ demo }: { readonly demo: Demo }): ReactNode {
  const texts = useTexts(demoTexts)
  const panes = useLive((live) => live.panes)
  const normal = useNormal()
  const say = useSay()
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
