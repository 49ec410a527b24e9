import { type ReactNode, useState } from 'react'
import style from './channel.module.css'
import { channelTexts } from './texts.ts'
import { useRemoveChannel } from './use-channel.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/layout.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { Failure } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'

/** The card that removes the channel after confirmation. */
export function RemoveChannel({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(channelTexts)
  const name = useTexts(platformTexts)[platform]
  const [asking, setAsking] = useState(false)
  const forget = useRemoveChannel(platform)
  const act = (): void =>
    // this component is unmounted by then
    void forget.mutateAsync().then(
      () => notify(texts.forgotten(name)),
      () => undefined, // shown below
    )
  return (
    <Card title={texts.forgetTitle}>
      <p className="soft">{texts.forgetLead}</p>
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" /> {texts.forget}
        </Button>
      </div>
      <Confirm
        open={asking}
        title={texts.forgetAsk(name)}
        act={texts.forget}
        busy={forget.isPending}
        onConfirm={act}
        onClose={() => setAsking(false)}
      >
        <div className={style['asks']}>
          <p>{texts.forgetGoes}</p>
          <p>{texts.forgetStays}</p>
          <p>{texts.forgetBack}</p>
          {forget.error !== null && <Failure error={forget.error} />}
        </div>
      </Confirm>
    </Card>
  )
}
